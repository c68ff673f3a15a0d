import type { NodeId } from '../../core/ids.ts';
import type { DesiredSupervisor } from '../../nodes/desired/desired.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import { servicedIn, serviceList, supervisionPartition, watchSetRange } from '../../ports/table/keys.ts';
import type { Row } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { read, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { wholeList } from '../../runtime/whole-list.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import { type Service, serviceId, supervisorType } from '../service.ts';
import type { ServiceView } from '../view-routes.ts';
import { type Watched, type WatchSet, watchOf, watchSetRef } from '../watch-set.ts';

/** Rows of one page of a query. */
const pageRows = 200;

/** The sets of a zone's supervisors as rows, including those that have ended. */
export async function watchSetRows(shell: Pick<Shell, 'table'>, zone: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: string | undefined; ; ) {
    const from = { pk: supervisionPartition(zone), ...watchSetRange, limit: pageRows };
    const page = await shell.table.query({ ...from, ...(after !== undefined && { after }) });
    rows.push(...page.items);
    if (page.next === undefined) return rows;
    after = page.next;
  }
}

/** The sets of the supervisors of a zone. */
export const watchSetsOf = async (shell: Pick<Shell, 'table' | 'now'>, zone: string): Promise<WatchSet[]> =>
  (await watchSetRows(shell, zone)).flatMap((row) => stateOf<WatchSet>(row, shell.now()) ?? []);

/**
 * The nodes of a zone that have services besides a supervisor, and those that have a supervisor, by the keys of the
 * list alone. The list follows the rows with a short delay.
 */
export type ListedNodes = { readonly nodes: ReadonlySet<NodeId>; readonly supervisors: ReadonlySet<NodeId> };

/** Reads the listed nodes of a zone. */
export async function listedNodes(shell: Pick<Shell, 'table'>, zone: string): Promise<ListedNodes> {
  const nodes = new Set<NodeId>();
  const supervisors = new Set<NodeId>();
  for (const { sk } of await wholeList(shell, serviceList(zone))) {
    const { type, node } = servicedIn(sk);
    (type === supervisorType ? supervisors : nodes).add(node as NodeId);
  }
  return { nodes, supervisors };
}

/**
 * The supervisors of some services of a zone, by the ids of the services' rows. A service that is not watched is left
 * out.
 */
export async function watchersOf(
  shell: Shell,
  zone: string,
  services: readonly Pick<Service, 'type' | 'node'>[],
): Promise<ReadonlyMap<string, NonNullable<ServiceView['supervisor']>>> {
  const sets = services.length === 0 ? [] : await watchSetsOf(shell, zone);
  const watched = services.flatMap((service) => {
    const watch = watchOf(sets, service);
    return watch ? [{ id: serviceId(service), ...watch }] : [];
  });
  const ids = [...new Set(watched.map(({ set }) => set.node))];
  const rows = await readRows(
    shell,
    ids.map((id) => nodeRef(id)),
    'lately',
  );
  const hosts = new Map(rows.flatMap((row) => stateOf(row, shell.now()) ?? []).map((node) => [node.id, node.fqdn]));
  return new Map(
    watched.flatMap(({ id, set: { node }, missedSince }) => {
      const host = hosts.get(node);
      const missed = missedSince !== undefined && { missedSince: new Date(missedSince).toISOString() };
      return host === undefined ? [] : [[id, { node, host, ...missed }] as const];
    }),
  );
}

/**
 * The orders to the supervisor of a node that runs as this instance: the nodes that it must ask, as far as their
 * addresses are known, and whether it watches the services of its own node.
 */
export async function desiredSupervisor(
  shell: Shell,
  { id: node, zone }: Pick<Node, 'id' | 'zone'>,
  { members, instance }: Pick<LoadedZone, 'members'> & Pick<DesiredSupervisor, 'instance'>,
): Promise<DesiredSupervisor> {
  const set = await read(shell, watchSetRef({ zone, node }));
  const hosts = new Map(members.flatMap((one) => (one ? [[one.node, one.fqdn] as const] : [])));
  const withAddress = (watched: readonly Watched[], also: { readonly supervisor?: true }) =>
    watched.flatMap(({ node: of, address }) => {
      const host = hosts.get(of);
      return address === undefined || host === undefined ? [] : [{ node: of, host, address, ...also }];
    });
  const watches = [...withAddress(set?.services ?? [], {}), ...withAddress(set?.supervisors ?? [], { supervisor: true })];
  const isOwn = set?.services.some((one) => one.node === node) === true;
  return { instance, ...(isOwn && { own: node }), watches };
}
