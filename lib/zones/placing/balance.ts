import { type EpochMs, hourMs, minuteMs, plusMs } from '../../core/time.ts';
import type { Board } from '../map/board.ts';
import type { Budgets } from './rows/budget.ts';

/**
 * How full the fullest node is, relative to the mean, when balancing starts and when it ends. The two differ so that
 * balancing does not restart at once.
 */
export const unevenAbove = 1.1;
export const evenBelow = 1.03;
/** How long the load must have been uneven, since counts and new client systems come in bursts. */
export const unevenForMs = 5 * minuteMs;
/** How long a zone rests after it was balanced: a moved slot stays at least this long. */
export const restMs = hourMs;
/**
 * How many clients more than its share the fullest node must also have: with one or less, no move makes a zone more
 * even.
 */
export const spareMin = 1;

/**
 * How even a zone is: the clients of the fullest node for its weight over the mean, and by how many they exceed its
 * share.
 */
export type Evenness = { readonly ratio: number; readonly spare: number };

/** How even the nodes that take slots are; 1 when there is none, or they have no clients. */
export function evennessOf(board: Board): Evenness {
  const takers = board.takers();
  const fair = fairOf(board, board.clients);
  if (takers.length === 0 || fair === 0) return { ratio: 1, spare: 0 };
  const most = (of: (index: number) => number): number => takers.reduce((top, index) => Math.max(top, of(index)), 0);
  return {
    ratio: most((index) => board.clients(index) / board.weight(index)) / fair,
    spare: most((index) => board.clients(index) - fair * board.weight(index)),
  };
}

/**
 * What each node would have for its weight if that were even, by what each `has`. A node that is full below it stays as
 * it is, and the others share the rest: otherwise they would have too much for ever.
 */
function fairOf(board: Board, has: (index: number) => number): number {
  const sumOf = (of: (index: number) => number, indexes: readonly number[]): number => indexes.reduce((sum, index) => sum + of(index), 0);
  for (let sharing = board.takers(); ; ) {
    const fair = sumOf(has, sharing) / sumOf(board.weight, sharing);
    const rest = sharing.filter((index) => !board.isFull(index) || has(index) >= fair * board.weight(index));
    if (rest.length === sharing.length || rest.length === 0) return fair;
    sharing = rest;
  }
}

/**
 * Moves slots from the fullest node to the emptiest until they are even, at most as many as `affords` allows. Gives
 * whether it is done: the nodes are even, or no move makes them more so. Only slots that are at home move, so that
 * nothing moves twice; slots that wait for their home keep waiting. `may`: which slots may move; any by default.
 * `below`: how full the fullest may stay relative to the mean.
 */
export function evenOut(
  board: Board,
  affords: (slot: number, donor: number) => boolean,
  { may = () => true, below = evenBelow }: { readonly may?: (slot: number) => boolean; readonly below?: number } = {},
): boolean {
  const takers = board.takers();
  const [fullest, emptiest, slotsOf] = [board.fullest(takers), board.emptiest(takers), board.slotsOf(takers, may)];
  const fair = fairOf(board, board.load);
  for (let donor = fullest.top(); donor !== undefined; donor = fullest.top()) {
    if (board.ratio(donor) <= below * fair) return true;
    const taker = emptiest.top();
    if (taker === undefined) return true;
    // Filled to its declared capacity, though it has the least for its weight.
    if (board.isFull(taker)) {
      emptiest.remove(taker);
      continue;
    }
    const slot = movable(board, slotsOf(donor), { donor, taker, fair });
    if (slot === undefined) {
      fullest.remove(donor);
      continue;
    }
    if (!affords(slot, donor)) return false;
    board.give(slot, taker);
    for (const index of [donor, taker]) {
      fullest.moved(index);
      emptiest.moved(index);
    }
  }
  return true;
}

/**
 * The heaviest slot at home that leaves neither the donor below nor the taker above its fair share; else the lightest
 * that helps at all.
 */
function movable(
  board: Board,
  slots: number[],
  { donor, taker, fair }: { donor: number; taker: number; fair: number },
): number | undefined {
  const room = Math.min(board.ratio(donor) * board.weight(taker) - board.load(taker), board.room(taker));
  const most = Math.min(board.load(donor) - fair * board.weight(donor), fair * board.weight(taker) - board.load(taker), room);
  for (;;) {
    const slot = board.takeHeaviest(slots, most) ?? board.takeLightest(slots, room - Number.EPSILON * room);
    if (slot === undefined || (board.home[slot] === donor && board.weigh(slot) < room)) return slot;
  }
}

/**
 * Makes the present owner of each slot its home, if its home is a node that takes slots: balanced slots stay where they
 * are. Changes as many as `may` allows; gives whether that was all of them.
 */
export function settleHomes(board: Board, may: (slot: number) => boolean): boolean {
  const { owner, home } = board;
  for (let slot = 0; slot < owner.length; slot++) {
    if (home[slot] === owner[slot] || board.weight(home[slot]!) <= 0 || board.weight(owner[slot]!) <= 0) continue;
    if (!may(slot)) return false;
    home[slot] = owner[slot]!;
  }
  return true;
}

/** Whether balancing continues or may start now, by the notes of the last plan and how even the zone is. */
export const balances = ({ balancing, unevenSince, restsUntil }: Budgets, evenness: Evenness, now: EpochMs): boolean =>
  balancing === true ||
  (isUneven(evenness) && unevenSince !== undefined && plusMs(unevenSince, unevenForMs) <= now && (restsUntil ?? 0) <= now);

const isUneven = ({ ratio, spare }: Evenness): boolean => ratio > unevenAbove && spare > spareMin;

/**
 * The notes about balancing after a plan, with the time of the next check. `evenness` is that after the plan; `done` is
 * absent when it did not balance.
 */
export function balancingAfter(budgets: Budgets, evenness: Evenness, done: boolean | undefined, now: EpochMs): Budgets {
  const { unevenSince, balancing: _was, restsUntil, ...rest } = budgets;
  const rests = restsUntil !== undefined && restsUntil > now ? { restsUntil } : {};
  if (done === false) return { ...rest, balancing: true, ...rests };
  if (done === true) return { ...rest, restsUntil: plusMs(now, restMs) };
  if (!isUneven(evenness)) return { ...rest, ...rests };
  const began = unevenSince ?? now;
  const startsAt = Math.max(plusMs(began, unevenForMs), restsUntil ?? 0) as EpochMs;
  const lookAt = rest.lookAt !== undefined && rest.lookAt < startsAt ? rest.lookAt : startsAt;
  return { ...rest, ...rests, unevenSince: began, lookAt: lookAt > now ? lookAt : plusMs(now, minuteMs) };
}
