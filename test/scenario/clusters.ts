import { pathText } from '../../lib/core/defect.ts';
import { ZoneName } from '../../lib/core/ids.ts';
import type { MeroHostStatus, MeroStatus } from '../../lib/mero/clusters/routes.ts';
import { checkFacts } from '../../lib/mero/facts/check/check.ts';
import { cutFacts } from '../../lib/mero/facts/load/cut.ts';
import { clusterPartition } from '../../lib/ports/table/keys.ts';
import { countsOf, countsText } from '../../programs/cli/commands/facts/validate.ts';
import { statusText } from '../../programs/cli/commands/mero/status-text.ts';
import { Failure } from '../../programs/cli/exit-codes.ts';
import { load } from '../../tools/support/loading.ts';
import { type Cast, nameOf } from './cast.ts';
import { type Line, line } from './line.ts';
import {
  aProcess,
  fidOf,
  hostOf,
  makeStorageZone,
  nameProcesses,
  said,
  short,
  statusOf,
  storageOf,
  zone,
  zoneName,
} from './storage-cast.ts';
import { factsOfHosts, type StoryFacts, twists } from './storage-facts.ts';

const node = '(node\\d+)';
const nodes = '(node\\d+(?:, node\\d+)*(?: and node\\d+)?)';

/** Loads facts as `mero load` does: checks them, and hands them in when nothing is wrong. Gives what it says. */
async function loaded(cast: Cast, facts: StoryFacts, before?: (call: number) => void): Promise<string[]> {
  const checked = checkFacts(facts);
  if (!checked.ok) return checked.defects.map(({ path, says }) => short(`${pathText(path)}: ${says}`));
  const cut = cutFacts(checked.facts, checked.expansion);
  if (!cut.ok) return cut.defects.map(({ says }) => says);
  const storage = storageOf(cast);
  storage.underWay ??= facts;
  try {
    const { wasThere } = await load(cast.world.environment('admin'), ZoneName.parse(zoneName), cut, before);
    await nameProcesses(cast);
    [storage.facts, storage.underWay] = [facts, undefined];
    return wasThere ? ['Initial data is already loaded.'] : [`loaded: ${countsText(countsOf(checked.expansion))}`];
  } catch (error) {
    if (error === interrupted) return ['interrupted'];
    if (!(error instanceof Failure)) throw error;
    return [`refused: ${short(error.message)}`];
  }
}

/** What ends a command between two of its calls. */
const interrupted = new Error('the command was interrupted');
const after =
  (calls: number) =>
  (call: number): void => {
    if (call > calls) throw interrupted;
  };

/** How many rows of each kind stand in the partition of the cluster. */
async function rowsOf(cast: Cast): Promise<string> {
  const { items } = await cast.world.table.query({ pk: clusterPartition(zoneName), limit: 1_000 });
  const kinds = Map.groupBy(
    items.filter((row) => !row.gone),
    ({ key }) => key.sk.split('#')[0]!,
  );
  return [...kinds].map(([kind, rows]) => `${kind} ${rows.length}`).join(', ');
}

const facts: readonly Line[] = [
  line('operator makes a storage zone', async (cast) => {
    await makeStorageZone(cast);
    return [];
  }),
  line(`operator loads facts of ${nodes}(?:, in which (.+))?`, async (cast, names, twisted) => {
    const made = factsOfHosts(names!.split(/, | and /));
    for (const one of twisted?.split('; ') ?? []) {
      if (!twists[one]) throw new Error(`facts cannot be so that ${one}`);
      twists[one](made);
    }
    return loaded(cast, made);
  }),
  line(`operator loads facts of ${nodes}, and is interrupted after (\\d+) calls`, async (cast, names, calls) => {
    return loaded(cast, factsOfHosts(names!.split(/, | and /)), after(Number(calls)));
  }),
  line('operator gives up the load that is under way', async (cast) => {
    const checked = checkFacts(storageOf(cast).underWay);
    storageOf(cast).underWay = undefined;
    if (!checked.ok) throw new Error('facts that were handed in are without defects');
    const { identity, size } = cutFacts(checked.facts, checked.expansion) as Extract<ReturnType<typeof cutFacts>, { ok: true }>;
    const { load: id } = (await cast.api('POST', `${zone}/mero/loads`, { identity, size })).body as { load: string };
    return [(await cast.api('DELETE', `${zone}/mero/loads/${id}`)).status === 200 ? 'given up' : 'refused'];
  }),
  line('rows of the cluster', async (cast) => [await rowsOf(cast)]),
  line('operator loads the same facts again', (cast) => loaded(cast, storageOf(cast).facts!)),
];

/** A cluster in a line, and a line for each host: its processes in their order, by what they are and do. */
function inShort(status: MeroStatus): string[] {
  const { because, level, reached, hosts = [] } = status;
  return [
    short(`level ${level}, reached ${reached}, ${because}`),
    ...hosts.map(
      (host) =>
        `${nameOf(host.host)} ${stateOf(host)}: ${host.processes.map((one) => `${one.type} ${stateOf(one)}${isPrincipal(one, status) ? ' (principal)' : ''}`).join(', ')}`,
    ),
  ];
}

const stateOf = ({ state, extended }: { state: string; extended?: string | undefined }): string =>
  `${state}${extended === undefined ? '' : ` [${extended}]`}`;
const isPrincipal = ({ services }: MeroHostStatus['processes'][number], { principal }: MeroStatus): boolean =>
  services.some(({ fid }) => fid === principal);

const orders: readonly Line[] = [
  line('operator (starts|stops) the storage cluster( by force)?', async (cast, what, force) => [
    said(await cast.api('POST', `${zone}/mero/${what!.slice(0, -1)}`, force ? { force: true } : {})),
  ]),
  line('operator looks at the storage cluster', async (cast) => inShort(await statusOf(cast))),
  line('operator reads the status( with devices)?', async (cast, devices) => {
    const status = (await cast.api('GET', `${zone}/mero?devices=${devices !== undefined}`)).body as MeroStatus;
    return statusText(status, status.hosts ?? [])
      .trimEnd()
      .split('\n')
      .map(short);
  }),
  line('operator sets ([a-z_]+) to (\\d+)', async (cast, name, value) => {
    const { status } = await cast.api('PATCH', `${zone}/mero/vars`, { vars: { [name!]: Number(value) } });
    return [String(status)];
  }),
  line('operator puts a role ([a-z]+), whose processes have a port from (\\d+) to (\\d+)', async (cast, name, from, to) => {
    const type = {
      m0p_type: { tag: 'PLClovis', contents: [name, 'Managed'] },
      m0p_services: [{ m0s_type: { tag: 'CST_RMS', contents: [] } }],
    };
    const environment = [['PORT', { tag: 'M0PEnvRange', contents: [Number(from), Number(to)] }]];
    const process = {
      m0p_endpoint: '{{ lnid }}:12345:41:501',
      ...type,
      m0p_environment: environment,
      m0p_multiplicity: '{{ multiplicity }}',
    };
    return [said(await cast.api('PUT', `${zone}/mero/roles/${name}`, { variables: { multiplicity: 1 }, content: [process] }))];
  }),
];

const hosts: readonly Line[] = [
  line(`${nodes} join the storage zone, and do as they are told`, async (cast, names) => {
    const { perform } = await import('./lines.ts');
    for (const name of names!.split(/, | and /)) await perform(cast, `${name} joins the storage zone, and does as it is told`);
    return [];
  }),
  line(`${node} loses its power`, async (cast, name) => {
    hostOf(cast, name!).dies();
    return [];
  }),
  line(`${node} is cut off`, async (cast, name) => {
    hostOf(cast, name!).isCutOff();
    return [];
  }),
  line(`${node} boots, and calls in`, async (cast, name) => {
    await hostOf(cast, name!).boots();
    return [];
  }),
  line(`${node} is heard again`, async (cast, name) => {
    await hostOf(cast, name!).isHeard();
    return [];
  }),
  line(`the agent of ${node} starts again`, async (cast, name) => {
    await hostOf(cast, name!).agentStarts();
    return [];
  }),
  line(`${aProcess} ends by itself`, async (cast, name) => {
    const fid = await fidOf(cast, name!);
    const host = [...storageOf(cast).hosts.values()].find(({ processes }) => processes.running.has(fid))!;
    await host.processes.ends(fid);
    return [];
  }),
  line(`${node} says that ${aProcess} has (started|ended), with pid (\\d+)`, async (cast, name, process, what, pid) => {
    const before = cast.world.logged.length;
    const data = { process: await fidOf(cast, process!), pid: Number(pid) };
    await hostOf(cast, name!).processes.says(what === 'started' ? 'process.started' : 'process.stopped', data);
    await cast.world.step(0);
    const applied = cast.world.logged.slice(before).filter(({ code, level }) => code === 'report.applied' && level !== 'debug');
    return applied.map(({ level, fields }) => short(`${level}: ${fields['because']}`));
  }),
  line(`${aProcess} does not stop when it is told to`, async (cast, name) => {
    const fid = await fidOf(cast, name!);
    for (const host of storageOf(cast).hosts.values()) host.unwilling.add(fid);
    return [];
  }),
];

/** Lines about a storage cluster as a whole: its facts, its levels, and what befalls its hosts. */
export const clusterLines: readonly Line[] = [...facts, ...orders, ...hosts];
