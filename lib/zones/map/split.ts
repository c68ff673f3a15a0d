import { type Plan, write } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { type Counts, countAt, type MapPage, mapRef, type ZoneHead, zoneRef } from '../zone.ts';
import { admittedIn } from './rows/roster.ts';
import { encodePage, pageSlots, type SlotMap, slotsFor } from './rows/slots.ts';
import type { ZoneSnapshot } from './snapshot.ts';

/**
 * The most slots of a zone: a split writes every page in one commit, 256 KB each, and a commit takes 4 MB; half of it
 * is left for other rows.
 */
export const slotsMax = 8 * pageSlots;

/** How many slots a zone should have by the nodes that belong to it; never fewer than it has. */
export function slotsWanted({ roster, slots }: Pick<ZoneHead, 'roster' | 'slots'>): number {
  return Math.max(slots, Math.min(slotsMax, slotsFor(admittedIn(roster))));
}

/** Whether the slots of a zone must be split. */
export const splits = (head: Pick<ZoneHead, 'roster' | 'slots'>): boolean => slotsWanted(head) > head.slots;

/**
 * The same map with more slots, a multiple of the present number: slot s becomes 2s and 2s + 1 as often as needed, so
 * that no client system moves.
 */
export function splitMap({ owner, home }: SlotMap, slots: number): SlotMap {
  const parts = slots / owner.length;
  return { owner: spread(owner, parts), home: spread(home, parts) };
}

function spread(cells: Uint16Array, parts: number): Uint16Array {
  const next = new Uint16Array(cells.length * parts);
  for (let slot = 0; slot < cells.length; slot++) next.fill(cells[slot]!, slot * parts, (slot + 1) * parts);
  return next;
}

/**
 * A separate plan for when nothing moves: head and all pages with more slots, and every client system stays where it
 * is. `wakeAt`: when the head is due.
 */
export function splitPlan(
  { zone, headRev, pageRevs }: Pick<ZoneSnapshot, 'zone' | 'headRev' | 'pageRevs'>,
  wakeAt: (head: ZoneHead) => EpochMs | undefined,
): Plan {
  const { head } = zone;
  const slots = slotsWanted(head);
  const version = head.version + 1;
  const map = splitMap(zone.map, slots);
  const next: ZoneHead = { ...head, slots, version, mapVersion: version };
  const because = `${head.slots.toLocaleString('en-US')} slots become ${slots.toLocaleString('en-US')}; no client system moves`;
  return {
    because: [because],
    changes: [
      { ref: zoneRef(head.name), readRev: headRev, decision: write<ZoneHead, never>(next, because, { wakeAt: wakeAt(next) }) },
      ...Array.from({ length: Math.ceil(slots / pageSlots) }, (_, page) => ({
        ref: mapRef(`${head.name}/${page}`),
        readRev: pageRevs[page] ?? 0,
        decision: write<MapPage, never>({ version, cells: encodePage(map, page) }, because),
      })),
    ],
  };
}

/**
 * How many slots clients are counted by: two runs of 2 B a slot fit into a row. Above that, slots share a count evenly.
 */
export const countedSlots = (slots: number): number => Math.min(slots, pageSlots);

/**
 * Accepted clients by slot, for a map of this many slots: a count of fewer slots is spread evenly, in fractions, until
 * the next one.
 */
export function countsBySlot(counts: Pick<Counts, 'perSlot'> | undefined, slots: number): Float64Array {
  const bySlot = new Float64Array(slots);
  if (!counts || counts.perSlot.length === 0) return bySlot;
  const counted = counts.perSlot.length / 2;
  const parts = slots / counted;
  // A count of more slots than the zone has cannot occur: slots only grow.
  for (let slot = 0; slot < slots; slot++) bySlot[slot] = countAt(counts.perSlot, Math.floor(slot / parts)) / parts;
  return bySlot;
}
