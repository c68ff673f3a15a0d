import { type Decision, write } from '../../../core/decision.ts';
import type { Desired } from '../desired.ts';

/**
 * Something was ordered about processes of the node: its agent, which knows the revision of what it should do, asks
 * anew.
 */
export const decideOrder = (desired: Desired | undefined, because: string): Decision<Desired> =>
  write<Desired, never>({ release: [], ...desired, orders: (desired?.orders ?? 0) + 1 }, because);
