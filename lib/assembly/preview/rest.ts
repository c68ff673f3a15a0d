import type { EpochMs } from '../../core/time.ts';
import { mustGo } from '../../zones/capacity/crowding.ts';
import { standingAt } from '../../zones/map/rows/roster.ts';
import { standings } from '../../zones/map/rows/standing.ts';
import { type LoadedZone, slotsOwned } from '../../zones/rows/loaded.ts';

/**
 * Whether the slots of a zone rest: those of the nodes in question, by index, have left the nodes that are silent or
 * must give them; no node drains, because it is dropped in the end, and is then no home any more; no share is
 * incomplete and no budget used up; no client systems are retained for a while; and the load is not to be balanced.
 */
export function isAtRest(
  zone: LoadedZone,
  { about, silent }: { readonly about: readonly number[]; readonly silent: ReadonlySet<string> },
  now: EpochMs,
): boolean {
  const { settling, budgets, roster, kept = [] } = zone.head;
  const owned = slotsOwned(zone);
  const isLeaving = (index: number): boolean => silent.has(zone.members[index]?.node ?? '') || mustGo(zone, index);
  const moves = about.some((index) => (owned[index] ?? 0) > 0 && isLeaving(index));
  const isDraining = owned.some((_, index) => standingAt(roster, index) === standings.draining);
  const isRetaining = kept.some(({ until }) => until !== undefined && until > now);
  return (
    !moves &&
    !isDraining &&
    settling.length === 0 &&
    !budgets.holds &&
    !budgets.balancing &&
    budgets.unevenSince === undefined &&
    !isRetaining
  );
}
