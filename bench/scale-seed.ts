import { type PlannedChange, write } from '../lib/decision.ts';
import { contentOf } from '../lib/runtime/content.ts';
import { nameOf, type Row } from '../lib/table/table.ts';
import { hourMs, plusMs, secondMs } from '../lib/units.ts';
import { defaultZone } from '../lib/zones/create.ts';
import { encodePage, pageSlots, slotOf, slotsFor } from '../lib/zones/slots.ts';
import { countedSlots } from '../lib/zones/split.ts';
import { type Counts, type MapPage, type Members, membersPerPage } from '../lib/zones/zone.ts';
import { aClient, aNode, fpOf, noon, told } from '../test/support/builders.ts';
import { everyoneIsAdmitted } from '../test/support/everyone.ts';
import { keyPairOf } from '../test/support/signing.ts';
import { aZone, fqdnAt, nodeIdAt } from './zone.ts';

/** How large a deployment is that an operation is played on. */
export type ScaleSize = { readonly clients: number; readonly nodes: number };

/** The name of the key that the n-th node of a seeded table signs with, where it is one of the few that speak. */
export const nodeKeyAt = (index: number) => keyPairOf(index < speaking ? `node ${index}` : 'a silent node');

/** So many nodes beat and are due for it; the others are up for as long as the measuring takes, and are never looked at. */
export const speaking = 2;

/** A client system's name among those that are seeded. */
export const clientAt = (n: number) => fpOf(`client ${n}`);

/**
 * A table that holds one zone of a size, at noon: every node up in its first generation, the slots spread evenly, counted, and each client
 * system accepted and confirmed on the node of its slot. Rows are put there at once, because to play 100,000 knocks takes minutes.
 */
export function aSeededTable({ clients, nodes }: ScaleSize): ReadonlyMap<string, Row> {
  const slots = slotsFor(nodes);
  const rows = new Map(everyoneIsAdmitted);
  const put = (noun: string, id: string, body: object, wakeAt = noon): void => {
    const due = wakeAt === noon ? {} : { wakeAt };
    const cause = { by: `seeded-${id}`, at: noon, exact: true };
    const content = contentOf({ noun, id }, undefined, write<object, never>(body, 'seeded', due), cause)!;
    rows.set(nameOf(content.key), { ...content, rev: 1 });
  };
  const perSlot = new Uint8Array(countedSlots(slots) * 2);
  const view = new DataView(perSlot.buffer);
  for (let n = 0; n < clients; n++) {
    const fp = clientAt(n);
    const slot = slotOf(fp, countedSlots(slots)) * 2;
    view.setUint16(slot, view.getUint16(slot) + 1);
    const index = slotOf(fp, slots) % nodes;
    put('client', fp, aClient({ fp, told: { ...told(index, { confirmed: true }), node: nodeIdAt(index) } }));
  }
  put('counts', defaultZone, { at: noon, perSlot } satisfies Counts);
  put('deployment', 'deployment', { admitted: { [defaultZone]: nodes } });
  for (let index = 0; index < nodes; index++) putNode(put, index);
  for (const { ref, decision } of zoneRows(nodes, slots)) if (decision.does === 'write') put(ref.noun, ref.id, decision.next as object);
  return rows;
}

/** A node that speaks has a lease as any other; that of the others is longer than anything that is played. */
function putNode(put: (noun: string, id: string, body: object, wakeAt?: typeof noon) => void, index: number): void {
  const [id, fqdn] = [nodeIdAt(index), fqdnAt(index)];
  const leaseUntil = plusMs(noon, index < speaking ? 38 * secondMs : 24 * hourMs);
  const { publicKey } = nodeKeyAt(index);
  const node = aNode({ id, fqdn, index, publicKey, watch: `${fqdn}:4505`, leaseUntil });
  put('node', id, node, index < speaking ? leaseUntil : noon);
  put('fqdn', fqdn, { node: id });
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
