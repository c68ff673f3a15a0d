import { type Decision, write } from '../../../core/decision.ts';
import type { Desired } from '../desired.ts';

/**
 * Records an order about processes of the node: its agent compares the revision of what it should do, and asks anew.
 */
export const decideOrder = (desired: Desired | undefined, because: string): Decision<Desired> =>
  write<Desired, never>({ release: [], ...desired, orders: (desired?.orders ?? 0) + 1 }, because);
