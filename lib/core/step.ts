import type { Check, Verdict } from './check.ts';
import type { Decision, RowRef } from './decision.ts';
import type { EpochMs } from './time.ts';

/**
 * A row that is found by the node that speaks, and decided upon together with others that are only read: `beside`, in
 * their order.
 */
export type StepBeside = {
  readonly ref: RowRef;
  readonly beside: readonly RowRef[];
  /** What is to be checked before it is decided upon, if anything is. */
  readonly check?: (state: unknown, beside: readonly unknown[]) => Check | undefined;
  readonly decide: (state: unknown, beside: readonly unknown[], now: EpochMs, verdict?: Verdict) => Decision<unknown>;
};
