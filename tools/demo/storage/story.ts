import { contract } from '../../../lib/contract.ts';
import type { MeroNodeView } from '../../../lib/mero/processes/routes.ts';
import { done, doneOn } from '../operator.ts';
import type { Scene } from '../scene.ts';
import type { Watching } from '../watching.ts';
import type { Cast, Launched } from './cast.ts';
import { clientHost, hosts, zone } from './hosts.ts';
import { changed, type Picture, pictures, processesOf, readStatus, statusLike } from './status.ts';

/** The means of scenes: the cast, how to wait for something, and a function that prints each finished scene. */
export type Stage = { readonly cast: Cast; readonly watching: Watching; tell(scene: Scene): void };
type Play = Stage & {
  scene(what: string, act: () => Promise<readonly string[]>): Promise<void>;
  /** Waits for this picture; gives the lines of the status that have changed since the last one. */
  look(until: string, picture: Picture): Promise<readonly string[]>;
};

/** The whole story, scene by scene. Throws when an awaited result does not come. */
export async function play(stage: Stage): Promise<void> {
  const { cast, watching, tell } = stage;
  let lastLines: readonly string[] | undefined;
  const acts: Play = {
    ...stage,
    scene: async (what, act) => {
      const started = watching.now();
      const details = await act();
      tell({ what, ms: watching.now() - started, details });
    },
    look: async (until, picture) => {
      const before = lastLines;
      lastLines = await statusLike(cast, watching, until, picture);
      return before ? changed(before, lastLines) : lastLines;
    },
  };
  await begin(acts);
  await fail(acts);
  await stopBesideLauncher(acts);
  await acts.scene('muster mero start: it runs again, level by level', async () => {
    await done(cast, 'mero', 'start', '--zone', zone);
    return acts.look('all of it runs again', pictures.started);
  });
  await acts.scene('muster mero stop: and it ends, level by level', async () => {
    await done(cast, 'mero', 'stop', '--zone', zone);
    return acts.look('all of it has ended', pictures.stopped);
  });
}

/** From nothing to a cluster that runs, and its views. */
async function begin({ cast, scene, look }: Play): Promise<void> {
  await scene(
    'muster mero bootstrap: three hosts call in, the facts are loaded, and its levels are started one after another',
    async () => {
      for (const host of hosts) cast.startAgent(host);
      await done(cast, 'mero', 'bootstrap', '-f', cast.factsFile, '--zone', zone);
      return look('all that Muster starts is online', pictures.started);
    },
  );
  await scene('its s3servers answer, each on its own port', async () => {
    const found = await Promise.all((await s3servers(cast)).map(async (one) => ({ ...one, pid: await asked(one) })));
    return found.map(({ fid, port, pid }) => `127.0.0.1:${port}  ${fid}, pid ${pid}`);
  });
  await scene('muster graph path: what a device of the second IO service hangs on', async () => {
    const path = await done(cast, 'graph', 'path', `host ${hosts[0]}`, 'wwn-0x5000c50000000003', '--zone', zone, '--devices');
    const lines = path.trimEnd().split('\n');
    if (lines.length !== 5) throw new Error(`a device does not hang on its host:\n${path}`);
    return lines;
  });
}

/** A process dies, and then an agent does. */
async function fail({ cast, watching, scene, look }: Play): Promise<void> {
  await scene('an s3server is killed, and started again by rule', async () => {
    const [s3] = await s3servers(cast);
    const before = await asked(s3!);
    process.kill(before, 'SIGKILL');
    const after = await watching.until(`${s3!.fid} runs again`, 30_000, async () => {
      const { state, pid } = (await processesOn(cast, clientHost)).find(({ fid }) => fid === s3!.fid)!;
      return state === 'online' && pid !== before ? pid : undefined;
    });
    if ((await asked(s3!)) !== after) throw new Error(`${s3!.fid} does not run as pid ${after}`);
    return [`${s3!.fid} was pid ${before} and is pid ${after}`, ...(await look('it is online', pictures.started))];
  });
  const before = await processesOn(cast, clientHost);
  await scene(`the agent of ${clientHost} is killed: its processes go on, and no agent reports them`, async () => {
    cast.killAgent(clientHost);
    const news = await look('its processes are inhibited', pictures.withoutAgent);
    await stillRun(before);
    return news;
  });
  await scene('the agent is started again: it finds its processes, each under the pid that it had', async () => {
    cast.startAgent(clientHost);
    const news = await look('they are what they were', pictures.started);
    const after = await processesOn(cast, clientHost);
    const other = after.filter(({ fid, pid }) => pid !== before.find((one) => one.fid === fid)?.pid);
    if (other.length > 0) throw new Error(`these were started again although they ran: ${other.map(({ fid }) => fid).join(', ')}`);
    return news;
  });
}

/** Another launcher starts a process and reports it; the cluster is stopped, and that process is left alone. */
async function stopBesideLauncher({ cast, scene, look }: Play): Promise<void> {
  const { fid } = processesOf(await readStatus(cast), 'clovis-app')[0]!;
  const reported = (...words: readonly string[]) => doneOn(cast, clientHost, 'process', 'report', fid, ...words);
  let app: Launched | undefined;
  await scene('a launcher of its own starts the clovis-app, and tells the agent: muster-agent process report STARTED', async () => {
    const { variables } = JSON.parse(await done(cast, 'mero', 'process', 'configuration', fid, '--zone', zone, '--json'));
    app = await cast.launch('clovis-app', asEnvironment(variables));
    await reported('STARTED', '--pid', String(app.pid));
    return look('the clovis-app is online', pictures.launched);
  });
  await scene('muster mero stop: all that Muster started ends; the clovis-app is left alone', async () => {
    await done(cast, 'mero', 'stop', '--zone', zone);
    const news = await look('all but the clovis-app has ended', pictures.stoppedButLaunched);
    if (!app!.runs()) throw new Error('the clovis-app has ended with the cluster');
    return news;
  });
  await scene('its launcher ends the clovis-app, and tells the agent: muster-agent process report STOPPED', async () => {
    await app!.end();
    await reported('STOPPED');
    return look('the clovis-app is offline', pictures.stopped);
  });
}

type Variables = readonly { readonly name: string; readonly value: string }[];
const asEnvironment = (variables: Variables): Record<string, string> =>
  Object.fromEntries(variables.map(({ name, value }): [string, string] => [name, value]));

async function processesOn({ api }: Cast, host: string): Promise<MeroNodeView['processes']> {
  const answer = await api(contract.getMeroNode, { params: { zone, node: host } });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body.processes;
}

/** An s3server and the port in its configuration. */
type Server = { readonly fid: string; readonly port: string };

async function s3servers(cast: Cast): Promise<Server[]> {
  const found = processesOf(await readStatus(cast), 's3server').map(async ({ fid }) => {
    const answer = await cast.api(contract.getMeroConfiguration, { params: { zone, fid } });
    if (!answer.ok) throw new Error(answer.problem.detail);
    return { fid, port: asEnvironment(answer.body.variables)['MERO_S3SERVER_PORT']! };
  });
  return Promise.all(found);
}

/** Asks an s3server on its own port for its fid and pid; gives its pid. */
async function asked({ fid, port }: Server): Promise<number> {
  const [answeredFid, pid] = (await (await fetch(`http://127.0.0.1:${port}/`)).text()).trim().split(' ');
  if (answeredFid !== fid) throw new Error(`${answeredFid} answers on the port of ${fid}`);
  return Number(pid);
}

/** Throws unless each of these that had a pid still runs under it. */
function stillRun(processes: MeroNodeView['processes']): void {
  for (const { pid } of processes) if (pid !== undefined) process.kill(pid, 0);
}
