import { type Decision, write } from '../../../core/decision.ts';
import type { Desired } from '../desired.ts';

/**
 * Records an order about processes of the node: its agent compares the revision of what it should do, and asks anew.
 */
export const decideOrder = (desired: Desired | undefined, because: string): Decision<Desired> =>
  write<Desired, never>({ release: [], ...desired, orders: (desired?.orders ?? 0) + 1 }, because);

/** Has the agent offer the systems of its server for adoption, for this order; without one it need not any more. */
export function decideAdopt(desired: Desired | undefined, order: string | undefined): Decision<Desired> {
  const { adopt: _before, ...rest } = desired ?? { release: [] };
  const because = order === undefined ? 'the systems of its server were taken' : 'its systems are to be adopted';
  return write<Desired, never>({ ...rest, ...(order !== undefined && { adopt: order }) }, because);
}
