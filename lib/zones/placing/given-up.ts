import type { StandingDecision } from '../map/snapshot.ts';
import type { Budgets } from './rows/budget.ts';

/**
 * The nodes, by index, that an operator gave up in this round or before, and that still have slots: no budget holds
 * those slots.
 */
export const givenUp = ({ atOnce = [] }: Budgets, round: readonly StandingDecision[]): ReadonlySet<number> =>
  new Set([...atOnce, ...round.filter(isGivenUp).map(({ index }) => index)]);

const isGivenUp = ({ before, standing, read: { body } }: StandingDecision): boolean =>
  standing === 'dropped' && before !== 'dropped' && 'ordered' in body && body.ordered === 'drop';
