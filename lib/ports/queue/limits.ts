import { MusterError } from '../../core/errors.ts';
import { minuteMs } from '../../core/time.ts';

/** The longest that a message can be kept invisible at first, as SQS has it. */
export const delayMsMax = 15 * minuteMs;

/** The largest body: what SQS has always taken, and what emulators of it still refuse to exceed. */
export const bodyBytesMax = 256 * 1024;

/** Throws a MusterError `queue.refused` for a message that SQS would refuse, so that every queue does. */
export function refuseUnsendable(queue: string, body: string, delayMs: number): void {
  const bytes = Buffer.byteLength(body);
  if (bytes === 0 || bytes > bodyBytesMax)
    throw new MusterError('queue.refused', `a message to ${queue} takes 1 to ${bodyBytesMax} B, this one has ${bytes}`, 'never');
  if (!(delayMs >= 0 && delayMs <= delayMsMax))
    throw new MusterError('queue.refused', `a message to ${queue} can be delayed by 0 to ${delayMsMax} ms, not ${delayMs}`, 'never');
}
