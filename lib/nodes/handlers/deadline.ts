import { Refusal } from '../../api/problem.ts';
import type { EpochMs } from '../../core/time.ts';
import { deadlineFault } from '../deadline.ts';

/** Throws a {@link Refusal} that points at the field when a node cannot leave until then. */
export function refuseDeadline(until: EpochMs | undefined, now: EpochMs, pointer: string): void {
  const detail = deadlineFault(until, now);
  if (detail) throw new Refusal('invalid', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
}
