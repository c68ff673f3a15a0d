import type { Check, Verdict } from './check.ts';
import type { Decision, RowRef } from './decision.ts';
import type { EpochMs } from './time.ts';

/**
 * A row that is found by the reporting node, and decided together with other rows that are only read: `beside`, in
 * their order.
 */
export type StepBeside = {
  readonly ref: RowRef;
  readonly beside: readonly RowRef[];
  /** The check to make before the decision, if any. */
  readonly check?: (state: unknown, beside: readonly unknown[]) => Check | undefined;
  readonly decide: (state: unknown, beside: readonly unknown[], now: EpochMs, verdict?: Verdict) => Decision<unknown>;
};
