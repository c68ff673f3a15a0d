import * as z from 'zod';
import { EpochMs, minuteMs, plusMs } from '../../../core/time.ts';

/**
 * The share of a zone's slots that may move in a minute from lost nodes beyond the first, so that survivors admit one
 * node's clients after another's.
 */
export const lostPerMinute = 0.02;
/**
 * The same for a drain, a newcomer's share or balancing, whose clients lack nothing: at 16,384 slots 82, some 5,000 of
 * a million clients.
 */
export const movedPerMinute = 0.005;
/** The share of all slots that may be in flight, and at least one whole node's. */
const inFlightShare = 0.1;
/** How long a slot is in flight when its node never confirms its release. */
export const inFlightMs = 30 * minuteMs;
/**
 * How long an unused budget adds up, and how often a used-up budget is checked: each check that moves slots is a
 * commit.
 */
const accrualMs = minuteMs;
const checkEveryMs = accrualMs / 2;

/**
 * The used budgets of a zone, in a few hundred bytes. Only slots with clients are charged, because moving an empty slot
 * affects no client. A budget is the moment up to which it is spent, so that it refills with time and without a
 * counter.
 */
export const Budgets = z.strictObject({
  /** From then on all slots of one lost node may go at once again. */
  wholeAt: EpochMs.optional(),
  /** Up to when the slots of further lost nodes are used up. */
  lostUntil: EpochMs.optional(),
  /** Up to when planned moves are used up. */
  movedUntil: EpochMs.optional(),
  /** Slots in flight by node that lost them, as `encodeFlights` stores them. */
  inFlight: z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'bytes').optional(),
  /** Since when the load has been uneven; whether it is being balanced; until when it then rests. */
  unevenSince: EpochMs.optional(),
  balancing: z.literal(true).optional(),
  restsUntil: EpochMs.optional(),
  /** When a budget allows more moves, or unevenness has lasted; absent when nothing waits for that. */
  lookAt: EpochMs.optional(),
  /** Nodes, by index, that an operator gave up and that still have slots: those go at once, and wait for no budget. */
  atOnce: z.array(z.int().nonnegative()).optional(),
  /** Whether slots wait for a budget. */
  holds: z.literal(true).optional(),
});
export type Budgets = z.infer<typeof Budgets>;

/**
 * Slots that a node lost while it served, up to a map version that it has not confirmed; `until`: when they no longer
 * count.
 */
export type Flight = { readonly index: number; readonly slots: number; readonly version: number; readonly until: EpochMs };

/** How many nodes may have slots in flight at a time: 1.2 KB of the head, which must stay below 4. */
export const flightsMax = 100;
const flightBytes = 12;

/**
 * 12 B a node: index u16, slots u16 (at most 65,535), map version u32, until in seconds u32, rounded up; big-endian.
 */
export function encodeFlights(flights: readonly Flight[]): Uint8Array {
  const bytes = new Uint8Array(flights.length * flightBytes);
  const view = new DataView(bytes.buffer);
  for (const [n, { index, slots, version, until }] of flights.entries()) {
    view.setUint16(n * flightBytes, index);
    view.setUint16(n * flightBytes + 2, Math.min(0xffff, slots));
    view.setUint32(n * flightBytes + 4, version);
    view.setUint32(n * flightBytes + 8, Math.ceil(until / 1000));
  }
  return bytes;
}

/** The flights after the last plan. */
export function flightsOf({ inFlight }: Budgets): Flight[] {
  if (!inFlight) return [];
  const view = new DataView(inFlight.buffer, inFlight.byteOffset, inFlight.byteLength);
  return Array.from({ length: inFlight.length / flightBytes }, (_, n) => ({
    index: view.getUint16(n * flightBytes),
    slots: view.getUint16(n * flightBytes + 2),
    version: view.getUint32(n * flightBytes + 4),
    until: (view.getUint32(n * flightBytes + 8) * 1000) as EpochMs,
  }));
}

/**
 * The flights that are not over: those that their node has not confirmed, for half an hour. `isReleased`: whether a
 * node has released up to a version.
 */
export const stillInFlight = (budgets: Budgets, isReleased: (index: number, version: number) => boolean, now: EpochMs): Flight[] =>
  flightsOf(budgets).filter(({ index, version, until }) => until > now && !isReleased(index, version));

/**
 * How many slots with clients may move now: of lost nodes, all of one (`whole`) and others (`lost`); of serving nodes
 * (`moved`); and the present flights.
 */
export type Allowance = { readonly whole: boolean; readonly lost: number; readonly moved: number; readonly flying: readonly Flight[] };

/** The allowance of a plan without limits. */
export const unlimited: Allowance = { whole: false, lost: Number.POSITIVE_INFINITY, moved: Number.POSITIVE_INFINITY, flying: [] };

const msPerSlot = (perMinute: number, slots: number): number => minuteMs / (perMinute * slots);

/** Since when a budget has been filling. */
const since = (until: EpochMs | undefined, now: EpochMs): number => Math.max(until ?? 0, now - accrualMs);

const left = (until: EpochMs | undefined, perSlotMs: number, now: EpochMs): number =>
  Math.max(0, Math.floor((now - since(until, now)) / perSlotMs));

/**
 * The present allowance, with the present flights; `slots` of the zone, and `largest` the slots of the node that owns
 * the most.
 */
export function allowanceOf(
  budgets: Budgets,
  flying: readonly Flight[],
  { slots, largest, now }: { slots: number; largest: number; now: EpochMs },
): Allowance {
  const inFlight = flying.reduce((sum, one) => sum + one.slots, 0);
  const room = Math.max(0, Math.max(Math.floor(inFlightShare * slots), largest) - inFlight);
  return {
    whole: (budgets.wholeAt ?? 0) <= now,
    lost: left(budgets.lostUntil, msPerSlot(lostPerMinute, slots), now),
    moved: Math.min(room, left(budgets.movedUntil, msPerSlot(movedPerMinute, slots), now)),
    flying,
  };
}

/** What one plan spends of its allowance. Slots without clients are free. */
export class Purse {
  readonly #allowance: Allowance;
  readonly #counts: ArrayLike<number>;
  readonly #flying: Set<number>;
  #moved = 0;
  /** Charged slots of lost nodes, and of the one whose slots all go at once; those of serving nodes, by node. */
  lost = 0;
  whole = 0;
  /** Charged slots of nodes that an operator gave up. */
  ordered = 0;
  readonly moved = new Map<number, number>();
  /** Whether a slot had to wait for the budget. */
  holds = false;

  constructor(allowance: Allowance, counts: ArrayLike<number>) {
    this.#allowance = allowance;
    this.#counts = counts;
    this.#flying = new Set(allowance.flying.map(({ index }) => index));
  }

  /**
   * Whether a slot of a lost node may go; if so, pays for it. `isWhole`: it is of the node whose slots may all go at
   * once.
   */
  paysLost(slot: number, isWhole: boolean): boolean {
    if (this.#isFree(slot)) return true;
    if (isWhole && this.#allowance.whole) this.whole++;
    else if (this.lost < this.#allowance.lost) this.lost++;
    else return this.#waits();
    return true;
  }

  /**
   * Pays for a slot that goes at once by an operator's command: it needs no budget, but nodes that are lost later wait
   * for it.
   */
  payOrdered(slot: number): void {
    if (!this.#isFree(slot)) this.ordered++;
  }

  /** Whether a slot may leave a serving node. */
  affords(slot: number, donor: number): boolean {
    if (this.#isFree(slot)) return true;
    const fits = this.#flying.has(donor) || this.#flying.size < flightsMax;
    return fits && this.#moved < this.#allowance.moved ? true : this.#waits();
  }

  /** Pays for a slot that leaves a serving node. */
  pay(slot: number, donor: number): void {
    if (this.#isFree(slot)) return;
    this.#moved++;
    this.#flying.add(donor);
    this.moved.set(donor, (this.moved.get(donor) ?? 0) + 1);
  }

  #isFree = (slot: number): boolean => (this.#counts[slot] ?? 0) === 0;

  #waits(): false {
    this.holds = true;
    return false;
  }
}

/** The budgets after a plan that made this map version; `atOnce` are nodes whose slots wait for no budget. */
export function budgetsAfter(
  budgets: Budgets,
  { flying, purse, atOnce }: { flying: readonly Flight[]; purse: Purse; atOnce: readonly number[] },
  { slots, version, now }: { slots: number; version: number; now: EpochMs },
): Budgets {
  const { inFlight: _flew, lookAt: _looked, holds: _held, atOnce: _named, wholeAt, lostUntil, movedUntil, ...rest } = budgets;
  const perLost = msPerSlot(lostPerMinute, slots);
  const lost = purse.lost + purse.whole + purse.ordered;
  const moved = [...purse.moved.values()].reduce((sum, one) => sum + one, 0);
  const spend = (until: EpochMs | undefined, ms: number): EpochMs | undefined =>
    ms > 0 ? (Math.ceil(since(until, now) + ms) as EpochMs) : until;
  const flights = withMoves(flying, purse.moved, version, now);
  const times = {
    wholeAt: lost > 0 ? (Math.ceil(Math.max(wholeAt ?? 0, now) + lost * perLost) as EpochMs) : wholeAt,
    lostUntil: purse.whole > 0 ? now : spend(lostUntil, purse.lost * perLost),
    movedUntil: spend(movedUntil, moved * msPerSlot(movedPerMinute, slots)),
    lookAt: purse.holds ? plusMs(now, checkEveryMs) : undefined,
  };
  const known = Object.fromEntries(Object.entries(times).filter(([, at]) => at !== undefined)) as Partial<
    Record<keyof typeof times, EpochMs>
  >;
  return {
    ...rest,
    ...known,
    ...(purse.holds && { holds: true }),
    ...(atOnce.length > 0 && { atOnce: [...atOnce] }),
    ...(flights.length > 0 && { inFlight: encodeFlights(flights) }),
  };
}

/** One entry per node: its latest confirmation covers the earlier ones. */
function withMoves(flying: readonly Flight[], moved: ReadonlyMap<number, number>, version: number, now: EpochMs): Flight[] {
  const known = new Map(flying.map((one) => [one.index, one]));
  for (const [index, slots] of moved)
    known.set(index, { index, slots: slots + (known.get(index)?.slots ?? 0), version, until: plusMs(now, inFlightMs) });
  return [...known.values()].sort((a, b) => a.index - b.index);
}
