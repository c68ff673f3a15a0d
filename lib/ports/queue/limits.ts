import { MusterError } from '../../core/errors.ts';
import { minuteMs } from '../../core/time.ts';

/** The longest initial delay of a message, a limit of SQS. */
export const delayMsMax = 15 * minuteMs;

/** The largest body: the original limit of SQS, which its emulators still enforce. */
export const bodyBytesMax = 256 * 1024;

/**
 * Throws a MusterError `queue.refused` for a message that SQS would refuse, so that every queue has the same limits.
 */
export function refuseUnsendable(queue: string, body: string, delayMs: number): void {
  const bytes = Buffer.byteLength(body);
  if (bytes === 0 || bytes > bodyBytesMax)
    throw new MusterError('queue.refused', `a message to ${queue} has ${bytes} B; the limits are 1 to ${bodyBytesMax} B`, 'never');
  if (!(delayMs >= 0 && delayMs <= delayMsMax))
    throw new MusterError(
      'queue.refused',
      `a message to ${queue} has a delay of ${delayMs} ms; the limits are 0 to ${delayMsMax} ms`,
      'never',
    );
}
