import type { adminRoutes } from '../../api/admin-routes.ts';
import type { SystemView } from '../../api/views.ts';
import type { Client } from '../../clients/client.ts';
import { ownerOf, pinOf } from '../../clients/status.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer, Call } from '../../runtime/on-route.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import { clientList, clientPartitionOf, clientPartitions } from '../../table/keys.ts';
import { defaultZone } from '../../zones/create.ts';
import { indexOf, type LoadedZone } from '../../zones/loaded.ts';
import { zoneOf } from '../zones.ts';
import { cursorAt, positionOf } from './cursors.ts';
import { foundNode, foundZone } from './found.ts';
import { viewOf } from './systems.ts';

type Query = Call<(typeof adminRoutes)['listSystems']>['query'];

/** How many rows one page looks at, at the most: a filter that matches few gives short pages, and a cursor to go on. */
const lookedAtMax = 400;

/** Client systems in fingerprint order. Filters are applied to the rows themselves; index entries are only a hint. */
export async function listSystems({ query }: Call<(typeof adminRoutes)['listSystems']>, shell: Shell): Promise<Answer> {
  const { cursor, limit, ...filters } = query;
  const scope = await scopeOf(query, shell);
  const signature = `systems ${JSON.stringify(filters)}`;
  const position = await positionOf(shell, cursor, signature);
  let [list, after] = position === undefined ? [0, undefined] : parted(position);
  const items: SystemView[] = [];
  for (let looked = 0; list < scope.lists.length; ) {
    const want = Math.min(limit - items.length, lookedAtMax - looked);
    if (want <= 0) return { status: 200, body: { items, next: await cursorAt(shell, `${list}/${after ?? ''}`, signature) } };
    const page = await shell.table.queryIndex({
      index: 'list',
      pk: scope.lists[list]!,
      limit: want,
      ...scope.range,
      ...(after !== undefined && { after }),
    });
    looked += Math.max(1, page.items.length);
    const keys = page.items.map((entry) => entry.key);
    for (const row of await readAll(shell, keys)) {
      const client = stateOf<Client>(row, shell.now());
      if (!client || !scope.holds(client)) continue;
      const view = await viewOf(shell, client, row!);
      if (query.status === undefined || view.status === query.status) items.push(view);
    }
    after = page.next;
    if (after === undefined) list++;
  }
  return { status: 200, body: { items } };
}

const parted = (position: string): [number, string | undefined] => {
  const at = position.indexOf('/');
  return [Number(position.slice(0, at)), position.slice(at + 1) || undefined];
};

type Scope = {
  readonly lists: readonly string[];
  readonly range: { from?: string; to?: string };
  readonly holds: (client: Client) => boolean;
};

/** Which lists a query looks through, in what range of fingerprints, and which rows it wants from them. */
async function scopeOf(query: Query, shell: Shell): Promise<Scope> {
  const node = query.node === undefined ? undefined : (await foundNode(shell, query.node)).node;
  const zoneName = query.zone ?? node?.zone ?? defaultZone;
  const zone = zoneName === defaultZone ? await zoneOf(shell, zoneName) : await foundZone(shell, zoneName);
  const holds = (client: Client) => hasTag(client, query.tag) && (node === undefined || isOn(client, zone, node.id));
  const { prefix } = query;
  const partitions =
    prefix === undefined ? Array.from({ length: clientPartitions }, (_, partition) => partition) : [clientPartitionOf(prefix)];
  const lists = kindsOf(query).flatMap((list) => partitions.map((partition) => listed[list](zoneName, partition)));
  return { lists, range: prefix === undefined ? {} : { from: prefix, to: `${prefix}g` }, holds };
}

const listed = {
  accepted: clientList.zone,
  pool: (_zone: string, partition: number) => clientList.pool(partition),
  banned: (_zone: string, partition: number) => clientList.banned(partition),
};

/** Which kinds of lists a query is about: where a status or filter leaves only one, that; a fingerprint may be anywhere. */
function kindsOf({ status, node, tag, zone, prefix }: Query): (keyof typeof listed)[] {
  if (status === 'new') return ['pool'];
  if (status === 'deleted') return ['banned'];
  if (status !== undefined || node !== undefined || tag !== undefined || zone !== undefined) return ['accepted'];
  return prefix === undefined ? ['accepted', 'pool'] : ['accepted', 'pool', 'banned'];
}

const hasTag = (client: Client, tag: string | undefined): boolean =>
  tag === undefined || (client.standing === 'accepted' && client.tags.includes(tag as never));

/** Told to be there, or owed to it by the map. */
function isOn(client: Client, zone: LoadedZone | undefined, node: string): boolean {
  if (client.standing !== 'accepted' || !zone) return false;
  return client.told ? client.told.node === node : ownerOf(zone, client.fp, pinOf(client)) === indexOf(zone, node);
}
