import { type PlannedChange, write } from '../../lib/core/decision.ts';
import { applyPlan, Reading } from '../../lib/runtime/apply-plan.ts';
import { encodePage, pageSlots } from '../../lib/zones/map/rows/slots.ts';
import { countedSlots } from '../../lib/zones/map/split.ts';
import { place } from '../../lib/zones/placing/place.ts';
import type { LoadedZone } from '../../lib/zones/rows/loaded.ts';
import { readSnapshot } from '../../lib/zones/tick/read-snapshot.ts';
import { type Counts, defaultZone, type MapPage, type Members, membersPerPage } from '../../lib/zones/zone.ts';
import { aShell } from '../support/a-shell.ts';
import type { Figure } from './report/figure.ts';
import { median, nsPerCall, spread } from './rounds.ts';
import { aZone, nodeIdAt, type Size } from './zone.ts';

const repeats = { calls: 3, rounds: 11 };

/**
 * The cost of a zone of a size: the bytes of its map, the time to place the slots of a lost node, and the reads of a
 * sweep for its plan.
 */
export async function planned(size: Size): Promise<Figure[]> {
  const { nodes, slots } = size;
  const zone = aZone(size);
  const of = `(${nodes.toLocaleString('en-US')} nodes, ${slots.toLocaleString('en-US')} slots)`;
  const counts = Uint16Array.from({ length: slots }, (_, slot) => 60 + (slot % 5));
  const weights = Array.from({ length: nodes }, (_, index) => (index === 0 ? 0 : 1));
  const rules = { leaves: (index: number) => index === 0, forgotten: () => false, tells: () => true, returning: [], joining: [] };
  const ms = nsPerCall(() => place({ map: zone.map, counts, weights, ...rules, donorsMax: 30 }).moves.length, repeats).map(
    (ns) => ns / 1e6,
  );
  const reads = await sweepReads(zone, counts);
  return [
    { what: `bytes of the map ${of}`, measured: slots * 4, unit: 'B', note: `${Math.ceil(slots / pageSlots)} pages` },
    {
      what: `placing the slots of a lost node ${of}`,
      measured: median(ms),
      unit: 'ms',
      note: `processor time, ${spread(ms, (one) => one.toFixed(2))}`,
    },
    { what: `read for a plan ${of}`, measured: reads.units, unit: 'units', note: 'strongly consistent' },
  ];
}

/** The units that reading the snapshot of a plan consumes, by the table's own meter. */
async function sweepReads(zone: LoadedZone, counts: Uint16Array): Promise<{ units: number }> {
  const shell = aShell();
  for (const change of rowsOf(zone, counts))
    await applyPlan(shell, { id: shell.newId() }, async () => ({ changes: [change], because: ['bench'] }));
  const before = shell.table.meter.readUnits;
  await readSnapshot(shell, new Reading(shell), defaultZone, [nodeIdAt(0)], []);
  return { units: shell.table.meter.readUnits - before };
}

const made = <T>(noun: string, id: string, body: T): PlannedChange => ({
  ref: { noun, id },
  readRev: 0,
  decision: write<T, never>(body, 'bench'),
});

function rowsOf({ head, map, members }: LoadedZone, counts: Uint16Array): PlannedChange[] {
  const perSlot = new Uint8Array(countedSlots(counts.length) * 2);
  const view = new DataView(perSlot.buffer);
  for (let slot = 0; slot < perSlot.length / 2; slot++) view.setUint16(slot * 2, counts[slot]!);
  return [
    made('zone', head.name, head),
    ...Array.from({ length: Math.ceil(head.slots / pageSlots) }, (_, page) =>
      made<MapPage>('map', `${head.name}/${page}`, { version: head.mapVersion, cells: encodePage(map, page) }),
    ),
    ...Array.from({ length: Math.ceil(members.length / membersPerPage) }, (_, page) =>
      made<Members>('members', `${head.name}/${page}`, {
        members: members.slice(page * membersPerPage, (page + 1) * membersPerPage).map((member) => member ?? null),
      }),
    ),
    made<Counts>('counts', head.name, { at: aShell().now(), perSlot }),
  ];
}
