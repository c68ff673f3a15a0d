import type { EpochMs } from '../../core/time.ts';
import { movesFrozen } from '../guardrails/guardrails.ts';
import { standingAt } from '../map/rows/roster.ts';
import { serves } from '../map/rows/standing.ts';
import type { Counted, ZoneSnapshot } from '../map/snapshot.ts';
import { splits } from '../map/split.ts';
import type { ZoneHead } from '../zone.ts';
import { balances, balancingAfter, type Evenness } from './balance.ts';
import type { Placed } from './place.ts';
import { type Allowance, allowanceOf, type Budgets, budgetsAfter, type Flight, flightsOf, stillInFlight } from './rows/budget.ts';

/** How fast the slots of a zone may move now, and whether it is balanced. */
export type Pace = {
  readonly flying: readonly Flight[];
  readonly allowance: Allowance;
  readonly balances: (evenness: Evenness) => boolean;
};

/** The nodes whose desired state the plan must read, because slots that they lost may be in flight. */
export function paceMissing({ zone, desired }: ZoneSnapshot, now: EpochMs): string[] {
  const flown = flightsOf(zone.head.budgets).filter(({ until }) => until > now);
  return flown.flatMap(({ index }) => {
    const node = zone.members[index]?.node;
    return node !== undefined && !desired.has(node) ? [node as string] : [];
  });
}

/** The moves that the budgets allow now. */
export function paceOf({ zone, desired, owned }: Counted, now: EpochMs): Pace {
  const { head, members } = zone;
  // A node that no longer serves need not confirm: its clients are orphans anyway.
  const isReleased = (index: number, version: number): boolean =>
    !serves(standingAt(head.roster, index)) ||
    !desired.get(members[index]?.node ?? '')?.body.release.some(({ mapVersion }) => mapVersion <= version);
  const flying = stillInFlight(head.budgets, isReleased, now);
  const largest = owned.reduce((most, slots) => Math.max(most, slots), 0);
  return {
    flying,
    allowance: allowanceOf(head.budgets, flying, { slots: head.slots, largest, now }),
    balances: (evenness) => head.mode === 'production' && balances(head.budgets, evenness, now),
  };
}

/**
 * The budgets after a plan that placed like this and, if anything moved, made this map version. Moves for which a
 * commit had no room continue at once.
 */
export function paceAfter(
  head: ZoneHead,
  pace: Pace,
  placed: Placed & { readonly atOnce: readonly number[] },
  { version, now }: { version: number; now: EpochMs },
): Budgets {
  const { purse, atOnce } = placed;
  const spent = budgetsAfter(head.budgets, { flying: pace.flying, purse, atOnce }, { slots: head.slots, version, now });
  const budgets = head.mode === 'production' ? balancingAfter(spent, placed.evenness, placed.balanced, now) : spent;
  return placed.isCut ? { ...budgets, lookAt: now } : budgets;
}

/** Whether the slots must be split now: no slot waits to move. */
export const splitsNow = (head: ZoneHead): boolean =>
  splits(head) && head.settling.length === 0 && !head.budgets.holds && !movesFrozen(head);

/**
 * When the head is due for slots that wait: at once for a share that one plan could not give, or for a split; else when
 * a budget allows more moves.
 */
export function paceDueAt(head: ZoneHead, now: EpochMs): EpochMs | undefined {
  const { settling, budgets } = head;
  if (movesFrozen(head)) return undefined;
  return (settling.length > 0 && !budgets.holds) || splitsNow(head) ? now : budgets.lookAt;
}
