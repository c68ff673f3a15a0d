import { minuteMs } from '../../../../lib/core/time.ts';
import { nobody } from '../../../../lib/zones/map/rows/slots.ts';
import type { Counts } from '../../../../lib/zones/zone.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';
import { isOverfull, LastCounts } from '../zones/capacity.ts';
import { ownersMoved, standingIn, type ZoneState, type ZoneStep, ZoneTruth } from '../zones/zone-truth.ts';

const gives = new Set(['none', 'down', 'dropped', 'draining']);

/** Every client that is moved for nothing is a registration for nothing. */
export const slotMoves: Invariant = {
  name: 'a-plan-moves-what-it-may',
  says: 'slots leave a node that is gone or drains, or go home to one that returns, or to one that is owed its share, or leave one that has more clients than 97 % of what it declares, or even out in production mode what has been uneven for 5 min, not within an hour of the last time, also from a home that has just returned; all others stay',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    const counted = new LastCounts();
    return {
      committed: (changes) => {
        const step = truth.take(changes);
        const wrong = step && wrongMove(step, counted.of(step.name));
        counted.take(changes);
        if (wrong) violated(`${step.name} at version ${step.after.head.version} (${step.cause}): ${wrong}`);
      },
    };
  },
};

function wrongMove(step: ZoneStep, counts: readonly Counts[]): string | undefined {
  const { before, after } = step;
  const moved = ownersMoved(step);
  const owed = new Map<number, boolean>();
  for (const { slot, from, to } of moved) {
    const way = `slot ${slot} went from ${from} (${standingIn(after, from)}) to ${to} (${standingIn(after, to)})`;
    if (to === nobody || standingIn(after, to) !== 'up') return `${way}, which takes none`;
    if (from === nobody || gives.has(standingIn(after, from)) || isOverfull(before!, counts, from)) continue;
    if ((standingIn(after, from) === 'up' || goesHome(slot, step)) && isEvenedOut(step)) continue;
    if (!owed.has(to)) owed.set(to, isOwed(to, before!, after));
    if (!owed.get(to) && !comesHome(slot, to, before!)) return way;
  }
  return undefined;
}

/** Whether the plan before had noted that the zone is being evened out, or has been uneven for long enough. */
function isEvenedOut({ at, before }: ZoneStep): boolean {
  const { mode, budgets } = before!.head;
  const { balancing, unevenSince = at, restsUntil = 0 } = budgets;
  return mode === 'production' && (balancing === true || (unevenSince + 5 * minuteMs <= at + skewMs && restsUntil <= at + skewMs));
}

/** One that has just become up for the first time, one whose share is not yet whole, one that is up with nothing. */
const isOwed = (index: number, before: ZoneState, after: ZoneState): boolean =>
  ['none', 'joining'].includes(standingIn(before, index)) || before.head.settling.includes(index) || keepsNone(index, before, after);

/** Whether all that it has goes home to others that return, now or since a freeze. */
const keepsNone = (index: number, before: ZoneState, after: ZoneState): boolean => {
  const isBack = (home: number): boolean => standingIn(before, home) !== 'up' || before.head.settling.includes(home);
  const returns = (home: number): boolean => standingIn(after, home) === 'up' && isBack(home);
  return !before.map.owner.some((owner, slot) => owner === index && !returns(before.map.home[slot]!));
};

const comesHome = (slot: number, to: number, before: ZoneState): boolean => standingIn(before, to) !== 'up' && before.map.home[slot] === to;

/** Whether its home returns: a plan that evens out as well may send it on from there, and it moves once. */
const goesHome = (slot: number, { before, after }: ZoneStep): boolean => {
  const home = before!.map.home[slot]!;
  return comesHome(slot, home, before!) && standingIn(after, home) === 'up';
};
