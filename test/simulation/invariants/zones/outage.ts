import type { EpochMs } from '../../../../lib/core/time.ts';
import type { SweepRow } from '../../../../lib/deployment/rows/sweep.ts';
import type { Invariant } from '../invariant.ts';
import { leaseMs } from '../nodes/lease-given.ts';
import { nodeSteps, skewMs, told } from '../rows.ts';

/** Whoever was silent while we slept may have spoken, and we did not hear it. */
export const outage: Invariant = {
  name: 'nobody-is-missed-because-we-slept',
  says: 'after an outage of the control plane nobody becomes suspect or lost within one lease of the first sweep that follows it, but for one that an operator has replaced',
  begin: ({ world, violated }) => {
    let sweptAt: EpochMs | undefined;
    let graceUntil = 0;
    const suspects = new Set<string>();
    const sweep = (at: EpochMs, row: SweepRow): void => {
      const slept = sweptAt !== undefined && world().cluster.asleepUntil > sweptAt && at - sweptAt > 2 * leaseMs;
      if (slept) graceUntil = row.sweptAt + leaseMs - skewMs;
      sweptAt = at;
    };
    return {
      heedsMarks: true,
      committed: (changes) => {
        for (const { at, after } of changes) if (after.key.sk === 'sweep') sweep(at, after.body as SweepRow);
        for (const step of nodeSteps(changes)) {
          const status = step.after?.status;
          const isNew = status !== step.before?.status && step.after?.replacedBy === undefined;
          // Who was suspect already had been silent for too long before we slept.
          if (isNew && step.at < graceUntil && (status === 'suspect' || (status === 'down' && !suspects.has(step.id))))
            violated(`${told(step)} ${graceUntil - step.at} ms before our grace was over`);
          if (status === 'suspect') suspects.add(step.id);
          else suspects.delete(step.id);
        }
      },
    };
  },
};
