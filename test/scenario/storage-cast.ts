import type { MeroStatus } from '../../lib/mero/clusters/routes.ts';
import type { WorldReply } from '../../tools/support/stepped.ts';
import { type Cast, fqdnOf, nameOf } from './cast.ts';
import type { StoryFacts } from './storage-facts.ts';
import type { StorageHost } from './storage-host.ts';

/**
 * What a cast has in a storage zone: the token that lets hosts in, processes by the order in which they were added, its
 * hosts, and its facts.
 */
type Storage = {
  readonly token: string;
  readonly fids: string[];
  readonly hosts: Map<string, StorageHost>;
  /** The facts that were loaded last, and those whose load is under way. */
  facts: StoryFacts | undefined;
  underWay: StoryFacts | undefined;
  /** What stories call the processes, by their fids. */
  readonly names: Map<string, string>;
};
const storages = new WeakMap<Cast, Storage>();

/** The storage zone of a story. */
export const zoneName = 'lab';
/** Where the API has it. */
export const zone = `zones/${zoneName}`;

/** A process as scripts name it: by the order in which it was added, or by what it is and on which host. */
export const aProcess = '(process \\d+|the (?:confd|server|s3server|client) of node\\d+)';

/** Makes the storage zone of a story, and what lets hosts in. */
export async function makeStorageZone(cast: Cast): Promise<void> {
  await cast.api('POST', 'zones', { name: zoneName, kind: 'storage' });
  const made = await cast.api('POST', 'node-tokens', { nodes: '*.acme.org', uses: 100, kind: 'storage', zone: zoneName });
  storages.set(cast, {
    token: (made.body as { secret: string }).secret,
    fids: [],
    hosts: new Map(),
    facts: undefined,
    underWay: undefined,
    names: new Map(),
  });
}

export const storageOf = (cast: Cast): Storage => storages.get(cast)!;
export const hostOf = (cast: Cast, name: string): StorageHost => storageOf(cast).hosts.get(name)!;

/** What a status calls what scripts call so. */
const typeWords: Readonly<Record<string, string>> = {
  confd: 'confd',
  server: 'ioservice',
  s3server: 's3server',
  client: 'm0t1fs',
  halon: 'halon',
};

/** Notes what stories call the processes that are there now: by what they are and where. */
export async function nameProcesses(cast: Cast): Promise<void> {
  const { names } = storageOf(cast);
  for (const { host, processes } of (await statusOf(cast)).hosts ?? [])
    for (const { fid, type } of processes) {
      const [word = type] = Object.entries(typeWords).find(([, shown]) => shown === type) ?? [];
      if (!names.has(fid)) names.set(fid, `the ${word} of ${nameOf(host)}`);
    }
}

/** What a story calls a process. */
export const calledIn = (cast: Cast, fid: string): string => storages.get(cast)?.names.get(fid) ?? short(fid);

/** The fid of a process that a script names. */
export async function fidOf(cast: Cast, said: string): Promise<string> {
  const [, n] = /^process (\d+)$/.exec(said) ?? [];
  if (n !== undefined) return storageOf(cast).fids[Number(n) - 1]!;
  const [, what, host] = /^the (\w+) of (node\d+)$/.exec(said)!;
  const { processes } = (await statusOf(cast)).hosts!.find((one) => one.host === fqdnOf(host!))!;
  return processes.find(({ type }) => type === typeWords[what!])!.fid;
}

/** The cluster as `mero status` has it. */
export const statusOf = async (cast: Cast): Promise<MeroStatus> => (await cast.api('GET', `${zone}/mero`)).body as MeroStatus;

/** What an order came to: why it is so, or why it was refused. */
export const said = ({ status, body }: WorldReply): string => {
  const { because, detail } = body as { because?: string; detail?: string };
  return short(`${status} ${because ?? detail}`);
};

/** Fids as stories have them, the number alone, and hosts by their names. */
export const short = (text: string): string => text.replaceAll(/0x[0-9a-f]{16}:(0x[0-9a-f]+)/g, '$1').replaceAll('.acme.org', '');
