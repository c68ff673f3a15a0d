import { blindPage } from '../../access/blind-page.ts';
import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { isEverywhere, seesSystem, zonesListed } from '../../access/zones-of-caller.ts';
import { deploymentOf } from '../../deployment/reads.ts';
import { clientList, clientPartitionOf, clientPartitions } from '../../ports/table/keys.ts';
import type { IndexQuery, Row } from '../../ports/table/table.ts';
import { cursorAt, parted, positionAt, positionOf } from '../../runtime/cursors.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import { foundNode, refuseUnknown } from '../../zones/reads/found.ts';
import { zoneOf } from '../../zones/reads/zones.ts';
import { indexOf, type LoadedZone } from '../../zones/rows/loaded.ts';
import { defaultZone } from '../../zones/zone.ts';
import type { SystemView } from '../admin-routes.ts';
import type { Client } from '../client.ts';
import { systemIn } from '../reads/rows.ts';
import { ownerOf, pinnedOf } from '../rows/status.ts';
import { viewOf } from './systems.ts';

type Query = AdminCall<'listSystems'>['query'];

/** The most rows that one page reads: a filter that matches few gives short pages, and a cursor to continue. */
const rowsMax = 400;

/** Client systems in fingerprint order. */
export const listSystems = async ({ query, caller }: AdminCall<'listSystems'>, shell: Shell): Promise<Answer> => ({
  status: 200,
  body: await someSystems(query, 'systems', caller, shell),
});

/**
 * A page of the client systems that match a query, as people view them. Filters apply to the rows themselves; index
 * entries are only a hint. A cursor is valid for its `purpose` only.
 */
export async function someSystems(
  query: Query,
  purpose: string,
  caller: AdminCaller,
  shell: Shell,
): Promise<{ items: SystemView[]; next?: string }> {
  const { cursor, limit, ...filters } = query;
  const scope = await scopeOf(query, caller, shell);
  const signature = `${purpose} ${JSON.stringify(filters)} of ${scope.zones.join(' ')}`;
  const position = await positionOf(shell, cursor, signature);
  let [list, after] = position === undefined ? [0, undefined] : parted(position);
  const items: SystemView[] = [];
  for (let rowsRead = 0; list < scope.lists.length; ) {
    const want = Math.min(limit - items.length, rowsMax - rowsRead);
    if (want <= 0) return { items, next: await cursorAt(shell, positionAt(list, after), signature) };
    const page = await pageOf(shell, scope, list, { after, limit: want });
    rowsRead += Math.max(1, page.rows.length);
    for (const row of page.rows) {
      const client = systemIn(row, shell.now());
      if (!client || !scope.holds(client)) continue;
      const view = await viewOf(shell, client, row!, caller);
      const isHeld = query.held === undefined || view.held !== undefined;
      if (isHeld && (query.status === undefined || view.status === query.status)) items.push(view);
    }
    after = page.next;
    if (after === undefined) list++;
  }
  return { items };
}

/** A list that a query reads. `hides`: it also holds client systems that the caller must not see. */
type ListRange = Pick<IndexQuery, 'index' | 'pk'> & { readonly hides?: boolean };
type Scope = {
  readonly zones: readonly string[];
  readonly lists: readonly ListRange[];
  readonly isSeen: (row: Row) => boolean;
  readonly range: { from?: string; to?: string };
  readonly holds: (client: Client) => boolean;
};

/** A page of one of the lists. */
async function pageOf(
  shell: Shell,
  { lists, range, isSeen }: Scope,
  list: number,
  { after, limit }: { after: string | undefined; limit: number },
) {
  const { hides, ...where } = lists[list]!;
  const from = { ...where, ...range, limit, ...(after !== undefined && { after }) };
  if (hides) return blindPage(shell, from, isSeen);
  const page = await shell.table.queryIndex(from);
  const keys = page.items.map(({ key }) => key);
  return { rows: await readAll(shell, keys), next: page.next };
}

/** The lists that a query reads, the range of fingerprints, and which rows it wants from them. */
async function scopeOf(query: Query, caller: AdminCaller, shell: Shell): Promise<Scope> {
  const node = query.node === undefined ? undefined : (await foundNode(shell, query.node, caller)).node;
  if (query.zone !== undefined) await refuseUnknown(shell, query.zone, caller);
  const zones = await zonesToRead(query, node?.zone, caller, shell);
  const zone = node && (await zoneOf(shell, zones[0]!));
  const holds = (client: Client) =>
    seesSystem(caller, client) &&
    (query.zone === undefined || client.zone === query.zone) &&
    hasTag(client, query.tag) &&
    (query.pinned === undefined || isPinned(client)) &&
    (node === undefined || isOn(client, zone, node.id));
  const { prefix } = query;
  const partitions =
    prefix === undefined ? Array.from({ length: clientPartitions }, (_, partition) => partition) : [clientPartitionOf(prefix)];
  const all = isEverywhere(caller);
  const isAsked = !all || query.zone !== undefined;
  const lists = kindsOf(query).flatMap((kind) =>
    (kind === 'accepted' || (kind === 'pool' && isAsked) ? zones : ['']).flatMap((name) =>
      partitions.map((partition) => listed[kind](name, partition, { all, isAsked })),
    ),
  );
  const isSeen = (row: Row): boolean => {
    const client = systemIn(row, shell.now());
    return client !== undefined && seesSystem(caller, client);
  };
  return { zones, isSeen, lists, range: prefix === undefined ? {} : { from: prefix, to: `${prefix}g` }, holds };
}

/**
 * The zones that a query reads. An administrator with only the beginning of a fingerprint need not know its zone: every
 * zone is read.
 */
async function zonesToRead(query: Query, zone: string | undefined, caller: AdminCaller, shell: Shell): Promise<readonly string[]> {
  const asked = query.zone ?? zone;
  if (query.prefix === undefined || asked !== undefined || !isEverywhere(caller)) return zonesListed(caller, asked);
  const noted = Object.keys((await deploymentOf(shell))?.admitted ?? {});
  return [...new Set<string>([defaultZone, ...noted])].sort();
}

type ListOf = (zone: string, partition: number, of: { readonly all: boolean; readonly isAsked: boolean }) => ListRange;

/**
 * Waiting client systems are listed by the zone that they ask for if the query names zones; all banned ones are in one
 * list.
 */
const listed = {
  accepted: (zone, partition) => ({ index: 'list', pk: clientList.zone(zone, partition) }),
  pool: (zone, partition, { isAsked }) =>
    isAsked ? { index: 'inverse', pk: clientList.poolOf(zone, partition) } : { index: 'list', pk: clientList.pool(partition) },
  banned: (_zone, partition, { all }) => ({ index: 'list', pk: clientList.banned(partition), hides: !all }),
} satisfies Record<string, ListOf>;

/** The kinds of lists that a query reads: one if a status or filter leaves only that. A fingerprint may be in any. */
function kindsOf({ status, prefix, ...only }: Query): (keyof typeof listed)[] {
  if (status === 'new') return ['pool'];
  if (status === 'deleted') return ['banned'];
  if ([status, only.node, only.tag, only.zone, only.held, only.pinned].some((one) => one !== undefined)) return ['accepted'];
  return prefix === undefined ? ['accepted', 'pool'] : ['accepted', 'pool', 'banned'];
}

const isPinned = (client: Client): boolean => client.standing === 'accepted' && client.pin !== undefined;

const hasTag = (client: Client, tag: string | undefined): boolean =>
  tag === undefined || (client.standing === 'accepted' && client.tags.includes(tag));

/** Whether it is assigned to the node or, without an assignment, belongs to it by the map. */
function isOn(client: Client, zone: LoadedZone | undefined, node: string): boolean {
  if (client.standing !== 'accepted' || !zone) return false;
  return client.told ? client.told.node === node : ownerOf(zone, pinnedOf(client)) === indexOf(zone, node);
}
