import type { MeroStatus } from '../../lib/api/admin-mero-routes.ts';
import { contract } from '../../lib/api/contract.ts';
import type { MeroProcessView } from '../../lib/api/mero-views.ts';
import type { Watching } from '../watching.ts';
import { type Cast, factsFile, hosts, zone } from './cast.ts';

/** A scene of the story: what happened, and how long it took until all was as it should be, in ms. */
export type Scene = { readonly what: string; readonly ms: number; readonly shown?: string };

/** The whole story, scene by scene; each is told as soon as it has been seen. Throws what was awaited in vain. */
export async function play(cast: Cast, watching: Watching, tell: (scene: Scene) => void): Promise<void> {
  const scene = async (what: string, act: () => Promise<string | undefined>): Promise<void> => {
    const started = watching.now();
    const shown = await act();
    tell({ what, ms: watching.now() - started, ...(shown !== undefined && { shown }) });
  };
  for (const host of hosts) cast.startAgent(host);
  await scene('three hosts call in, and the facts are loaded and started level by level: muster mero bootstrap', async () => {
    await done(cast, 'mero', 'load', '-f', factsFile, '--zone', zone);
    await done(cast, 'mero', 'start', '--zone', zone);
    await level(cast, watching, 3);
    return done(cast, 'mero', 'status', '--zone', zone);
  });
  await scene('an s3server answers on its port with its own fid', async () => {
    await answers(await someS3(cast));
    return undefined;
  });
  await scene('it is killed, and started again by rule', () => killProcess(cast, watching));
  await scene('the agent of a host is killed: its processes go on, inhibited for who asks, and are what they were once it is back', () =>
    killAgent(cast, watching),
  );
  await scene('what a device hangs on: muster graph path', async () => {
    const path = await done(cast, 'graph', 'path', `host ${hosts[0]}`, 'wwn-0x5000c50000000003', '--zone', zone, '--devices');
    if (path.trim().split('\n').length !== 5) throw new Error(`a device does not hang on its host:\n${path}`);
    return path;
  });
  await scene('the cluster is stopped: muster mero stop', async () => {
    await done(cast, 'mero', 'stop', '--zone', zone);
    const { managed } = await status(cast);
    if (managed.running > 0) throw new Error(`${managed.running} processes run in a cluster that was stopped`);
    return undefined;
  });
  await scene('and started again: muster mero start', async () => {
    await done(cast, 'mero', 'start', '--zone', zone);
    await answers(await someS3(cast));
    return undefined;
  });
  await scene('and stopped', async () => void (await done(cast, 'mero', 'stop', '--zone', zone)));
}

/** Runs a command that must succeed; gives what it printed. */
async function done(cast: Cast, ...words: readonly string[]): Promise<string> {
  const { code, out, err } = await cast.muster(...words);
  if (code !== 0) throw new Error(`muster ${words.join(' ')} ended with ${code}:\n${err}${out}`);
  return out;
}

async function status({ api }: Cast): Promise<MeroStatus> {
  const answer = await api(contract.meroStatus, { params: { zone }, query: {} });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body;
}

const level = (cast: Cast, watching: Watching, wanted: number): Promise<MeroStatus> =>
  watching.until(`the cluster has reached level ${wanted}`, 60_000, async () => {
    const now = await status(cast);
    return now.reached === wanted && now.waiting === 0 ? now : undefined;
  });

async function processOf({ api }: Cast, fid: MeroProcessView['fid']): Promise<MeroProcessView> {
  const answer = await api(contract.getMeroProcess, { params: { zone, fid } });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body;
}

/** An s3server, with the port that its configuration says. */
async function someS3(cast: Cast): Promise<{ readonly fid: MeroProcessView['fid']; readonly port: string }> {
  const { hosts: shown = [] } = await status(cast);
  const { fid } = shown.flatMap(({ processes }) => processes).find(({ type }) => type === 's3server')!;
  const answer = await cast.api(contract.getMeroConfiguration, { params: { zone, fid } });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return { fid, port: answer.body.variables.find(({ name }) => name === 'MERO_S3SERVER_PORT')!.value };
}

/** Asks a process on its own port who it is; gives its pid. */
async function answers({ fid, port }: { readonly fid: string; readonly port: string }): Promise<number> {
  const [said, pid] = (await (await fetch(`http://127.0.0.1:${port}/`)).text()).trim().split(' ') as [string, string];
  if (said !== fid) throw new Error(`${said} answers on the port of ${fid}`);
  return Number(pid);
}

async function killProcess(cast: Cast, watching: Watching): Promise<string> {
  const s3 = await someS3(cast);
  const before = await answers(s3);
  process.kill(before, 'SIGKILL');
  const after = await watching.until('it runs again under another pid', 30_000, async () => {
    const { state, pid } = await processOf(cast, s3.fid);
    return state === 'online' && pid !== before ? pid : undefined;
  });
  if ((await answers(s3)) !== after) throw new Error(`${s3.fid} does not run as pid ${after}`);
  return `${s3.fid} was pid ${before} and is pid ${after}\n`;
}

async function killAgent(cast: Cast, watching: Watching): Promise<string> {
  const host = hosts[2]!;
  const s3 = await someS3(cast);
  const pid = await answers(s3);
  cast.killAgent(host);
  await watching.until('its processes are shown as inhibited', 60_000, async () =>
    (await processOf(cast, s3.fid)).state === 'inhibited' ? true : undefined,
  );
  if ((await answers(s3)) !== pid) throw new Error(`${s3.fid} ended with its agent`);
  const shown = await done(cast, 'mero', 'status', '--zone', zone);
  cast.startAgent(host);
  await watching.until('they are what they were', 30_000, async () =>
    (await processOf(cast, s3.fid)).state === 'online' ? true : undefined,
  );
  if ((await answers(s3)) !== pid) throw new Error(`${s3.fid} was started again although it ran`);
  return shown;
}
