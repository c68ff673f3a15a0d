import { type EpochMs, plusMs } from '../../core/time.ts';
import { slotOf } from '../map/rows/slots.ts';

/**
 * The turns of one slot's clients: `clients` of them from `at` on, one each `everyMs`. `from` is the index of the node
 * that they come from; 0xFFFF is no node.
 */
export type SlotTurn = { readonly at: EpochMs; readonly clients: number; readonly everyMs: number; readonly from: number };

/** The clients that wait for a turn, by slot of a map with this many slots; a missing slot waits for nothing. */
export type AdmissionSchedule = { readonly slots: number; readonly of: ReadonlyMap<number, SlotTurn> };

/** No turns. */
export const emptySchedule: AdmissionSchedule = { slots: 1, of: new Map() };

/** The latest turn of a slot is over once this is. */
export const endOf = ({ at, clients, everyMs }: SlotTurn): EpochMs => plusMs(at, clients * everyMs);

/** The values of the 16 bits of a fingerprint that follow those of its slot. */
const fractions = 65_536;
/** 13 hex digits are 52 bits, which a number holds exactly: 28 bits of a slot at the most, and 16 more. */
const readDigits = 13;

/** Where in its slot a fingerprint is, in [0, 1): the 16 bits after those that are the slot. */
export function fractionOf(fp: string, slots: number): number {
  const bits = Math.log2(slots);
  return (Math.floor(Number.parseInt(fp.slice(0, readDigits), 16) / 2 ** (4 * readDigits - 16 - bits)) % fractions) / fractions;
}

/**
 * When a client that was moved may be assigned to its new node; undefined when it need not wait. No counter and no
 * write is needed: from the same turns, everyone computes the same moment.
 */
export function turnOf({ slots, of }: AdmissionSchedule, fp: string): EpochMs | undefined {
  if (of.size === 0) return undefined;
  const turn = of.get(slotOf(fp, slots));
  return turn && plusMs(turn.at, Math.floor(fractionOf(fp, slots) * turn.clients) * turn.everyMs);
}

/** The queue of one node: until when at the latest, and how often the node admits a client. */
export type Queue = { readonly until: EpochMs; readonly everyMs: number };

/**
 * The queues of the nodes, by index; `owner` is the map's, of as many slots or more. A node without waiting clients has
 * no entry.
 */
export function queuesOf({ slots, of }: AdmissionSchedule, owner: ArrayLike<number>, now: EpochMs): Map<number, Queue> {
  const queues = new Map<number, Queue>();
  for (const [slot, turn] of of) {
    const index = owner[(slot * owner.length) / slots]!;
    const [until, known] = [endOf(turn), queues.get(index)];
    if (until > now && (known === undefined || until > known.until)) queues.set(index, { until, everyMs: turn.everyMs });
  }
  return queues;
}
