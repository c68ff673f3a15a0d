import { Later } from '../../core/errors.ts';

/** An error of the AWS SDK, as far as we read it. */
type SdkError = Error & { readonly $fault?: 'client' | 'server'; readonly $metadata?: { readonly httpStatusCode?: number } };

/**
 * The names of errors for throttling, and for a request that is already in progress. Every other client error is our
 * fault.
 */
const busy = /Throttl|ThroughputExceeded|RequestLimitExceeded|TooManyRequests|SlowDown|LimitExceeded|TransactionInProgress|RequestTimeout/;

/**
 * Resolves as the call to the service does. Throws {@link Later} naming the operation for transient failures:
 * throttling, a fault of the service, no answer at all. An error that is our fault is thrown as it is.
 */
export async function askService<T>(operation: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw isTransient(error) ? new Later('service.busy', `${operation}: ${error.name}: ${error.message}`, { cause: error }) : error;
  }
}

function isTransient(error: unknown): error is SdkError {
  if (!(error instanceof Error)) return false;
  const { $fault, $metadata } = error as SdkError;
  if ($fault === 'client') return busy.test(error.name) || $metadata?.httpStatusCode === 429;
  // Without `$fault` there was no answer: refused, reset or timed out, a name that did not resolve, missing
  // credentials.
  return $fault === 'server' || !(error instanceof TypeError || error instanceof RangeError);
}
