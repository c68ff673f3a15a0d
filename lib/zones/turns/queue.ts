import { dayMs, type EpochMs, plusMs } from '../../core/time.ts';
import { nobody } from '../map/rows/slots.ts';
import { type AdmissionSchedule, endOf, type SlotTurn } from './turn.ts';

/** A slot that got another owner, whose clients must be admitted there. */
export type Admitting = { readonly slot: number; readonly from: number; readonly owner: number };

/** The input of the turns: who owned which slot until now, and how the nodes are. */
export type Queueing = {
  /** The turns so far. */
  readonly turns: AdmissionSchedule;
  readonly slots: number;
  /** The owner of a slot once the plan is carried out. */
  readonly ownerOf: (slot: number) => number;
  /** Accepted clients by slot. */
  readonly counts: ArrayLike<number>;
  /** How often a node, by index, admits a client, in ms; 0 when it admits any number at once. */
  readonly everyMsOf: (index: number) => number;
  /** Whether new clients are sent there now. */
  readonly admits: (index: number) => boolean;
  readonly serves: (index: number) => boolean;
  /** For how long a node that has just come back was away, in ms; 0 for any other. */
  readonly awayMsOf: (index: number) => number;
};

/**
 * How many slots may wait at once: 16 B each are half of what a commit takes, so that a plan always fits beside them.
 * Beyond that the clients of the slots that have the fewest are admitted without a turn.
 */
export const waitingMax = 131_072;

/**
 * The turns once these slots are moved. A node has one queue: later clients wait behind those that wait there already.
 * A turn that came while its node was away is postponed by the time it was away. When the rate of a node changes, its
 * queue continues at the new rate.
 */
export function queued(q: Queueing, moved: readonly Admitting[], now: EpochMs): AdmissionSchedule {
  const of = new Map<number, SlotTurn>();
  const before = splitTo(q.turns, q.slots).of;
  const requeued = new Map(moved.map((move) => [move.slot, move]));
  const ends = new Map<number, EpochMs>();
  const waiting = [...before].filter(([slot]) => !requeued.has(slot)).sort(([, a], [, b]) => a.at - b.at);
  const past: [number, SlotTurn][] = [];
  for (const [slot, turn] of waiting) {
    const remaining = goesOn(turn, q, q.ownerOf(slot), now, ends);
    if (remaining && remaining.everyMs !== q.everyMsOf(q.ownerOf(slot))) past.push([slot, remaining]);
    else if (remaining) of.set(slot, remaining);
  }
  for (const [slot, turn] of pacedBefore(past, of, q)) of.set(slot, turn);
  for (const { slot, from, owner } of moved) {
    const [everyMs, clients] = [q.everyMsOf(owner), q.counts[slot] ?? 0];
    if (owner === nobody || everyMs === 0 || clients === 0) continue;
    const firstFrom = before.get(slot)?.from;
    const turn = {
      at: laterOf(now, ends.get(owner)),
      clients,
      everyMs,
      from: firstFrom !== undefined && q.serves(firstFrom) ? firstFrom : from,
    };
    of.set(slot, turn);
    ends.set(owner, endOf(turn));
  }
  return { slots: q.slots, of: atMost(of) };
}

function atMost(of: Map<number, SlotTurn>): Map<number, SlotTurn> {
  if (of.size <= waitingMax) return of;
  const fewestFirst = [...of].sort(([a, one], [b, other]) => one.clients - other.clients || a - b);
  for (const [slot] of fewestFirst.slice(0, of.size - waitingMax)) of.delete(slot);
  return of;
}

/**
 * How long turns that came while their node was away are remembered, in ms. All turns of a zone that are stored lie
 * within 49 days (rows/pages.ts): those of a node that is away for longer must not crowd out the present ones.
 */
const rememberedMs = 20 * dayMs;

/**
 * The remaining turns of a slot; undefined when they are over. Records in `ends` until when the slot's node is busy.
 */
function goesOn(turn: SlotTurn, q: Queueing, owner: number, now: EpochMs, ends: Map<number, EpochMs>): SlotTurn | undefined {
  const everyMs = q.everyMsOf(owner);
  if (owner === nobody || everyMs === 0 || turn.clients === 0 || endOf(turn) <= now - rememberedMs) return undefined;
  const after = { ...turn, at: plusMs(turn.at, q.awayMsOf(owner)) };
  if (endOf(after) <= now && q.admits(owner)) return undefined;
  // Its node is away, and its turns may be postponed by that.
  if (endOf(after) <= now && everyMs !== turn.everyMs) return after;
  const remaining = everyMs === turn.everyMs ? after : paced(after, everyMs, now, ends.get(owner));
  ends.set(owner, laterOf(endOf(remaining), ends.get(owner)));
  return remaining;
}

/**
 * The same turns at another rate: past ones stay where they are, the others come one each `everyMs` from now, behind
 * those that wait.
 */
function paced(turn: SlotTurn, everyMs: number, now: EpochMs, end: EpochMs | undefined): SlotTurn {
  const came = Math.min(turn.clients, Math.max(0, Math.floor((now - turn.at) / turn.everyMs) + 1));
  if (now < turn.at) return { ...turn, everyMs, at: laterOf(now, end) };
  return { ...turn, everyMs, at: plusMs(laterOf(now, end), (1 - came) * everyMs) };
}

/**
 * Slots whose turns all came, at another rate: they stay in the past, one behind the other, before those of their node
 * that still wait.
 */
function pacedBefore(past: readonly [number, SlotTurn][], waiting: ReadonlyMap<number, SlotTurn>, q: Queueing): [number, SlotTurn][] {
  const firsts = new Map<number, EpochMs>();
  for (const [slot, { at }] of waiting) {
    const owner = q.ownerOf(slot);
    if (at < (firsts.get(owner) ?? Number.POSITIVE_INFINITY)) firsts.set(owner, at);
  }
  return past.toReversed().map(([slot, turn]) => {
    const owner = q.ownerOf(slot);
    const everyMs = q.everyMsOf(owner);
    const first = firsts.get(owner);
    const end = first !== undefined && first < endOf(turn) ? first : endOf(turn);
    const next = { ...turn, everyMs, at: plusMs(end, -turn.clients * everyMs) };
    firsts.set(owner, next.at);
    return [slot, next];
  });
}

const laterOf = (a: EpochMs, b: EpochMs | undefined): EpochMs => (b !== undefined && b > a ? b : a);

/** The turns of a map whose slots were halved since: the first half of a slot's turns are its lower half's. */
export function splitTo(turns: AdmissionSchedule, slots: number): AdmissionSchedule {
  if (turns.slots >= slots || turns.of.size === 0) return { slots, of: turns.of };
  const of = new Map<number, SlotTurn>();
  for (const [slot, turn] of turns.of) {
    const lower = Math.ceil(turn.clients / 2);
    of.set(2 * slot, { ...turn, clients: lower });
    if (turn.clients > lower) of.set(2 * slot + 1, { ...turn, at: plusMs(turn.at, lower * turn.everyMs), clients: turn.clients - lower });
  }
  return splitTo({ slots: 2 * turns.slots, of }, slots);
}
