import { contract } from '../../../lib/contract.ts';
import type { Fid } from '../../../lib/core/fid.ts';
import type { ZoneName } from '../../../lib/core/ids.ts';
import { isLive, type StorageCluster } from '../../../lib/mero/clusters/cluster.ts';
import type { MeroNode } from '../../../lib/mero/nodes/mero-node.ts';
import { isManaged, type MeroProcess } from '../../../lib/mero/processes/process.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import type { SimulatedHost } from './host.ts';
import { Person } from './people.ts';

/** The zone of a storage cluster, in a world that has one, its number, and how many hosts it has. */
export const storageZone = 'tier' as ZoneName;
export const storageHosts = 2;

/** What is added to hosts, one at a time: some of each level, and one that is its own master. */
const roles = ['confd', 'mds', 'storage', 'm0t1fs', 's3server', 'clovis-app'];
/** When the first processes are added, in ms. */
const opensAfterMs = 80_000;
/** So many processes are enough to be in one another's way. */
const processesMax = 12;

type Store = {
  readonly zone: { readonly zone: ZoneName };
  readonly processes: () => readonly MeroProcess[];
  readonly nodes: () => readonly MeroNode[];
};

/** What there is in the storage zone, as it is stored: whom an operator would read off a list. */
const storeOf = ({ store }: Cluster): Store => {
  const rows = <S extends { readonly load?: string | undefined }>(kind: string): readonly S[] => {
    const all = [...store.rows.rows.values()].filter(({ gone }) => !gone);
    const cluster = all.find(({ key }) => key.pk === `cluster#${storageZone}` && key.sk === 'cluster')?.body as StorageCluster | undefined;
    return all.flatMap((row) => (isOf(kind, row.key) && isLive(row.body as S, cluster ?? {}) ? [row.body as S] : []));
  };
  return { zone: { zone: storageZone }, processes: () => rows<MeroProcess>('process'), nodes: () => rows<MeroNode>('node') };
};
const isOf = (kind: string, { pk, sk }: { readonly pk: string; readonly sk: string }): boolean =>
  pk === `cluster#${storageZone}` && sk.startsWith(`${kind}#`);

/**
 * An operator of a storage cluster: adds, starts, stops and removes what runs on its hosts, and the whole; and
 * launchers of what nobody manages.
 */
export function keepStore(around: Around, cluster: Cluster, all: readonly SimulatedHost[], isOver: () => boolean): void {
  if (!around.config.storage) return;
  const hosts = all.filter(({ processes }) => processes);
  const { kernel } = around;
  const person = new Person('storekeeper', around, cluster, isOver);
  const store = storeOf(cluster);
  const withProcess = async (does: (params: { zone: ZoneName; fid: Fid }) => Promise<unknown>): Promise<unknown> => {
    const process = oneOf(person.random, store.processes());
    return process && does({ ...store.zone, fid: process.fid });
  };
  const withNode = async (does: (params: { zone: ZoneName; node: string }) => Promise<unknown>): Promise<unknown> => {
    const node = oneOf(person.random, store.nodes());
    return node && does({ ...store.zone, node: person.random() < 0.5 ? node.fqdn : node.fid });
  };
  const force = (): { readonly force: boolean } => ({ force: person.random() < 0.5 });
  const addTo = async (host: SimulatedHost, role: string): Promise<unknown> => {
    if (store.processes().length >= processesMax) return undefined;
    const set = role === 's3server' || role === 'clovis-app' ? { multiplicity: person.random() < 0.3 ? 2 : 1 } : {};
    return person.ask(contract.addMeroProcesses, { params: store.zone, body: { node: host.fqdn, roles: [role], set } });
  };
  const add = (): Promise<unknown> => addTo(oneOf(person.random, hosts)!, oneOf(person.random, roles)!);
  const start = (): Promise<unknown> => person.ask(contract.startMero, { params: store.zone, body: {} });
  // Hosts have called in by then, most of the time.
  kernel.after(opensAfterMs, 'the store opens', async () => {
    for (const [n, role] of roles.entries()) if (!isOver()) await addTo(hosts[n % hosts.length]!, role);
    if (!isOver()) await start();
  });
  person.work([
    ...[add, add, start, start, start, start],
    () => person.ask(contract.stopMero, { params: store.zone, body: {} }),
    () => withProcess((params) => person.ask(contract.startMeroProcess, { params, body: {} })),
    () => withProcess((params) => person.ask(contract.stopMeroProcess, { params, body: force() })),
    () => withProcess((params) => person.ask(contract.removeMeroProcess, { params, body: force() })),
    () => withNode((params) => person.ask(contract.startMeroNode, { params, body: {} })),
    () => withNode((params) => person.ask(contract.stopMeroNode, { params, body: force() })),
    () => withNode((params) => person.ask(contract.removeMeroNode, { params, body: force() })),
  ]);
  const launcher = new Person('launcher', around, cluster, isOver);
  const launch = async (): Promise<unknown> => {
    const process = oneOf(
      launcher.random,
      store.processes().filter((one) => !isManaged(one)),
    );
    const host = process && hosts.find(({ fqdn }) => fqdn === process.host);
    return host?.launch(process!.fid, launcher.random() < 0.6 ? 'start' : 'end');
  };
  launcher.work([launch]);
}

/** Once faults have ended: the cluster is wanted up, and what was stopped may run again. */
export async function openStore(person: Person, cluster: Cluster): Promise<void> {
  const store = storeOf(cluster);
  for (const { fqdn, stopped } of store.nodes())
    if (stopped) await person.ask(contract.startMeroNode, { params: { ...store.zone, node: fqdn }, body: {} });
  await person.ask(contract.startMero, { params: store.zone, body: {} });
}
