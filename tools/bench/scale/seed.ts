import type { ClientIn } from '../../../lib/clients/client.ts';
import { type PlannedChange, write } from '../../../lib/core/decision.ts';
import { type EpochMs, hourMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import { nameOf, type Row } from '../../../lib/ports/table/table.ts';
import { contentOf } from '../../../lib/runtime/content.ts';
import { encodePage, pageSlots, slotOf, slotsFor } from '../../../lib/zones/map/rows/slots.ts';
import { countedSlots } from '../../../lib/zones/map/split.ts';
import { type Counts, defaultZone, type MapPage, type Members, membersPerPage } from '../../../lib/zones/zone.ts';
import { aClient, aNode, assigned, fpOf, noon } from '../../support/builders.ts';
import { everyoneIsAdmitted } from '../../support/everyone.ts';
import { keyPairOf } from '../../support/signing.ts';
import { aZone, fqdnAt, nodeIdAt } from '../zone.ts';

/** The size of a deployment on which operations are played. */
export type ScaleSize = { readonly clients: number; readonly nodes: number };

/**
 * The same, its start (noon of some day unless given), how many of its nodes have a usual lease, and what the n-th
 * client system has of its own, such as its name.
 */
export type Seeded = ScaleSize & {
  readonly at?: EpochMs;
  readonly speak?: number;
  readonly own?: (n: number) => Partial<Omit<ClientIn<'accepted'>, 'standing'>>;
};

/** The key pair of the n-th node of a seeded table, which signs where it is one of the few that speak. */
export const nodeKeyAt = (index: number) => keyPairOf(index < speaking ? `node ${index}` : 'a silent node');

/**
 * How many nodes send heartbeats and are due for them; the others are up for as long as the measuring takes, and are
 * never looked at.
 */
export const speaking = 2;

/** A client system's name among those that are seeded. */
export const clientAt = (n: number) => fpOf(`client ${n}`);

/**
 * A table that holds one zone of a size, at noon: every node up in its first generation, the slots spread evenly,
 * counted, and each client system accepted and confirmed on the node of its slot. The rows are stored directly, because
 * playing 100,000 knocks takes minutes.
 */
export const aSeededTable = (size: Seeded): ReadonlyMap<string, Row> =>
  new Map(Iterator.from(seededRows(size)).map((row) => [nameOf(row.key), row]));

/** The rows of {@link aSeededTable} one by one, so that a million client systems need not be in memory. */
export function* seededRows({ clients, nodes, at = noon, speak = speaking, own = () => ({}) }: Seeded): Generator<Row> {
  const slots = slotsFor(nodes);
  const row = (noun: string, id: string, body: object, wakeAt?: EpochMs): Row => {
    const cause = { by: `seeded-${id}`, at, exact: true };
    const decision = write<object, never>(body, 'seeded', wakeAt === undefined ? {} : { wakeAt });
    return { ...contentOf({ noun, id }, undefined, decision, cause)!, rev: 1 };
  };
  yield* everyoneIsAdmitted.values();
  const perSlot = new Uint8Array(countedSlots(slots) * 2);
  const view = new DataView(perSlot.buffer);
  for (let n = 0; n < clients; n++) {
    const fp = clientAt(n);
    const slot = slotOf(fp, countedSlots(slots)) * 2;
    view.setUint16(slot, view.getUint16(slot) + 1);
    const index = slotOf(fp, slots) % nodes;
    const told = { ...assigned(index, { confirmed: true }), node: nodeIdAt(index) };
    yield row('client', fp, aClient({ fp, told, ...own(n) }));
  }
  yield row('counts', defaultZone, { at, perSlot } satisfies Counts);
  yield row('deployment', 'deployment', { admitted: { [defaultZone]: nodes } });
  for (let index = 0; index < nodes; index++) {
    const { node, wakeAt } = nodeOf(index, at, index < speak);
    yield row('node', node.id, node, wakeAt);
    yield row('fqdn', node.fqdn, { node: node.id });
  }
  for (const { ref, decision } of zoneRows(nodes, slots))
    if (decision.does === 'write') yield row(ref.noun, ref.id, decision.next as object);
}

/**
 * A node that speaks has a usual lease, and is due for it; the lease of the others outlasts everything that is played.
 */
function nodeOf(index: number, at: EpochMs, speaks: boolean): { node: ReturnType<typeof aNode>; wakeAt?: EpochMs } {
  const fqdn = fqdnAt(index);
  const leaseUntil = plusMs(at, speaks ? 38 * secondMs : 24 * hourMs);
  const { publicKey } = nodeKeyAt(index);
  const node = aNode({ id: nodeIdAt(index), fqdn, index, publicKey, watch: `${fqdn}:4505`, heardAt: at, leaseUntil });
  return { node, ...(speaks && { wakeAt: leaseUntil }) };
}

function zoneRows(nodes: number, slots: number): PlannedChange[] {
  const { head, map, members } = aZone({ nodes, slots });
  const made = <T>(noun: string, id: string, body: T): PlannedChange => ({
    ref: { noun, id },
    readRev: 0,
    decision: write<T, never>(body, 'seeded'),
  });
  return [
    made('zone', head.name, head),
    made('zone-number', String(head.number), { name: head.name }),
    ...Array.from({ length: Math.ceil(slots / pageSlots) }, (_, page) =>
      made<MapPage>('map', `${head.name}/${page}`, { version: head.mapVersion, cells: encodePage(map, page) }),
    ),
    ...Array.from({ length: Math.ceil(nodes / membersPerPage) }, (_, page) =>
      made<Members>('members', `${head.name}/${page}`, {
        members: members.slice(page * membersPerPage, (page + 1) * membersPerPage).map((member) => member ?? null),
      }),
    ),
  ];
}
