import { type Plan, write } from '../decision.ts';
import type { ZoneName } from '../ids.ts';
import type { EpochMs } from '../units.ts';
import { emptyMap, encodePage, pageSlots, slotsMin } from './slots.ts';
import { type Counts, type MapPage, newZone, type Revoked, type ZoneHead } from './zone.ts';

/** The name of the zone that is there from the first start. */
export const defaultZone = 'default' as ZoneName;
/** Its number, and the first that is given. */
export const defaultZoneNumber = 1;

/** The rows of a new zone: head, map, revocations, counts, and the row that finds its name by its number. */
export function planZone(name: ZoneName, number: number, now: EpochMs, slots = slotsMin): Plan {
  const because = `zone ${name} created`;
  const pages = Math.ceil(slots / pageSlots);
  const map = emptyMap(slots);
  return {
    because: [because],
    changes: [
      { ref: { noun: 'zone', id: name }, readRev: 0, decision: write<ZoneHead, never>(newZone(name, number, slots), because) },
      ...Array.from({ length: pages }, (_, page) => ({
        ref: { noun: 'map', id: `${name}/${page}` },
        readRev: 0,
        decision: write<MapPage, never>({ version: 0, cells: encodePage(map, page) }, because),
      })),
      {
        ref: { noun: 'revoked', id: name },
        readRev: 0,
        decision: write<Revoked, never>({ version: 0, entries: new Uint8Array(0), tokensBefore: 0 }, because),
      },
      {
        ref: { noun: 'counts', id: name },
        readRev: 0,
        decision: write<Counts, never>({ at: now, perSlot: new Uint8Array(slots * 2) }, because, { wakeAt: now }),
      },
      { ref: { noun: 'zone-number', id: String(number) }, readRev: 0, decision: write<{ name: string }, never>({ name }, because) },
    ],
  };
}
