import { contract } from '../../../lib/contract.ts';
import type { MeroHostStatus, MeroStatus } from '../../../lib/mero/clusters/routes.ts';
import { done } from '../operator.ts';
import type { Watching } from '../watching.ts';
import type { Cast } from './cast.ts';
import { clientHost, hosts, zone } from './hosts.ts';

type Process = MeroHostStatus['processes'][number];

/** The states that a scene waits for: of each host, and of each process by its type and host. */
export type Picture = { host(fqdn: string): string; process(type: string, host: string): string };

/**
 * A cluster whose managed processes are all in the one state, and its clovis-app in the other; Halon's own process is
 * the agent, and is online.
 */
const allAre = (managed: string, clovisApp: string): Picture => ({
  host: () => 'online',
  process: (type) => (type === 'halon' ? 'online' : type === 'clovis-app' ? clovisApp : managed),
});

/** The pictures of the scenes of the story. */
export const pictures = {
  started: allAre('online', 'offline'),
  withoutAgent: {
    host: (fqdn) => (fqdn === clientHost ? 'failed' : 'online'),
    process: (type, host) => (type === 'clovis-app' ? 'offline' : host === clientHost ? 'inhibited' : 'online'),
  },
  launched: allAre('online', 'online'),
  stoppedButLaunched: allAre('offline', 'online'),
  stopped: allAre('offline', 'offline'),
} as const satisfies Record<string, Picture>;

/** How long a picture may take to come about. */
const withinMs = 60_000;

/**
 * Waits until the status is as the picture has it; gives its lines as `mero status` prints them. Throws with the
 * differences when that never happens.
 */
export async function statusLike(cast: Cast, watching: Watching, what: string, picture: Picture): Promise<string[]> {
  let seen: readonly string[] = [];
  await watching
    .until(what, withinMs, async () => {
      seen = differences(await readStatus(cast), picture);
      return seen.length === 0 ? true : undefined;
    })
    .catch((error: Error) => {
      throw new Error([error.message, ...seen].join('\n  '));
    });
  const lines = (await done(cast, 'mero', 'status', '--zone', zone)).trimEnd().split('\n');
  const wanted = statesOf(await readStatus(cast)).map(({ fid, state }) => `  [${state.padStart(9)}] ${fid} `);
  const missing = wanted.filter((start) => !lines.some((line) => line.startsWith(start)));
  if (missing.length > 0) throw new Error(`mero status does not say: ${missing.join(',')}`);
  return lines;
}

/** The status as programs read it. */
export async function readStatus({ api }: Cast): Promise<MeroStatus> {
  const answer = await api(contract.meroStatus, { params: { zone }, query: {} });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body;
}

/** All processes of a kind. */
export const processesOf = ({ hosts: listed = [] }: MeroStatus, type: string): Process[] =>
  listed.flatMap(({ processes }) => processes).filter((process) => process.type === type);

const statesOf = ({ hosts: listed = [] }: MeroStatus): Pick<Process, 'fid' | 'state'>[] =>
  listed.flatMap((host) => [host, ...host.processes]);

function differences({ hosts: listed = [] }: MeroStatus, picture: Picture): string[] {
  const compared = listed.flatMap(({ host, state, processes }) => [
    { name: host, state, wanted: picture.host(host) },
    ...processes.map(({ fid, type, state: is }) => ({ name: `${type} ${fid} on ${host}`, state: is, wanted: picture.process(type, host) })),
  ]);
  const other = compared.flatMap(({ name, state, wanted }) => (state === wanted ? [] : [`${name} is ${state}, not ${wanted}`]));
  return listed.length === hosts.length ? other : [`${listed.length} of ${hosts.length} hosts are shown`, ...other];
}

const aService = /^ {2}\[[ \w]{9}\] 0x73/;
/**
 * The lines that have changed since an operator saw them last. Services change with their processes, and are left out.
 */
export function changed(before: readonly string[], now: readonly string[]): string[] {
  const known = new Set(before);
  return now.filter((line, n) => {
    const isMore = line.startsWith(' '.repeat(16));
    return isMore ? !known.has(now[n - 1]!) : !known.has(line) && !aService.test(line);
  });
}
