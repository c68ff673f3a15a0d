import * as z from 'zod';
import { type PlannedChange, write } from '../../../core/decision.ts';
import { refOf } from '../../../core/ref.ts';
import { EpochMs, plusMs } from '../../../core/time.ts';
import { type AdmissionSchedule, emptySchedule, type SlotTurn } from '../turn.ts';

/**
 * One page of the turns that a zone's moved clients wait for, as of `version`. `slots`: the number of slots of the map;
 * `base`: the moment from which those in `entries` count. An entry is 16 B: slot u32, at u32 in ms after `base`,
 * clients u16, everyMs u32, from u16.
 */
export const SchedulePage = z.strictObject({
  version: z.int().nonnegative(),
  slots: z.int().positive(),
  base: EpochMs,
  entries: z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'bytes'),
});
export type SchedulePage = z.infer<typeof SchedulePage>;

const entryBytes = 16;
/** Slots of one page: 16 B each are 256 KB when all of them wait, and a row takes 400. */
const pageSlots = 16_384;
const u32Max = 0xffff_ffff;

/** How many pages the turns of a zone with this many slots may have. */
export const schedulePages = (slots: number): number => Math.ceil(slots / pageSlots);

/** Pages as turns. All pages have the same number of slots: a change of it rewrites all pages. */
export function loadSchedule(pages: readonly SchedulePage[]): AdmissionSchedule {
  const slots = pages.reduce((most, page) => Math.max(most, page.slots), emptySchedule.slots);
  const of = new Map<number, SlotTurn>();
  for (const { base, entries } of pages) {
    const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength);
    for (let i = 0; i < entries.length; i += entryBytes)
      of.set(view.getUint32(i), {
        at: plusMs(base, view.getUint32(i + 4)),
        clients: view.getUint16(i + 8),
        everyMs: view.getUint32(i + 10),
        from: view.getUint16(i + 14),
      });
  }
  return { slots, of };
}

/**
 * The pages whose turns change; `before` is undefined when their content is unknown. A turn more than 49 days away, the
 * most that 32 bits of ms hold, comes then. Turns that are over are forgotten after 20 days, so that none of now is.
 */
export function scheduleChanges(
  zone: string,
  { before, after, revs }: { before: AdmissionSchedule | undefined; after: AdmissionSchedule; revs: readonly number[] },
  version: number,
): PlannedChange[] {
  return Array.from({ length: schedulePages(after.slots) }, (_, page) => page).flatMap((page): PlannedChange[] => {
    const is = onPage(after, page);
    const was = before ? onPage(before, page) : undefined;
    const isSame = was?.length === is.length && was.every(([slot, turn], i) => same(is[i]!, slot, turn));
    const isAbsent = (revs[page] ?? 0) === 0 && is.length === 0;
    if (isAbsent || (isSame && (is.length === 0 || before?.slots === after.slots))) return [];
    const body = { version, slots: after.slots, ...encoded(is) };
    return [
      {
        ref: scheduleRef(`${zone}/${page}`),
        readRev: revs[page] ?? 0,
        decision: write<SchedulePage, never>(body, `${is.length} slots wait`),
      },
    ];
  });
}

const onPage = ({ of }: AdmissionSchedule, page: number): [number, SlotTurn][] =>
  [...of].filter(([slot]) => Math.floor(slot / pageSlots) === page).sort(([a], [b]) => a - b);

const same = ([slot, turn]: readonly [number, SlotTurn], otherSlot: number, other: SlotTurn): boolean =>
  slot === otherSlot &&
  turn.at === other.at &&
  turn.clients === other.clients &&
  turn.everyMs === other.everyMs &&
  turn.from === other.from;

function encoded(turns: readonly (readonly [number, SlotTurn])[]): { base: EpochMs; entries: Uint8Array } {
  const base = turns.reduce((first, [, { at }]) => (at < first ? at : first), turns[0]?.[1].at ?? (0 as EpochMs));
  const entries = new Uint8Array(turns.length * entryBytes);
  const view = new DataView(entries.buffer);
  turns.forEach(([slot, { at, clients, everyMs, from }], n) => {
    const i = n * entryBytes;
    view.setUint32(i, slot);
    view.setUint32(i + 4, Math.min(u32Max, at - base));
    view.setUint16(i + 8, clients);
    view.setUint32(i + 10, everyMs);
    view.setUint16(i + 14, from);
  });
  return { base, entries };
}

/** A page of the turns of a zone. */
export const scheduleRef = refOf('turns', SchedulePage);
