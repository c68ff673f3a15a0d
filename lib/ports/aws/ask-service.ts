import { Later } from '../../core/errors.ts';

/** What the AWS SDK throws, as far as we look at it. */
type SdkError = Error & { readonly $fault?: 'client' | 'server'; readonly $metadata?: { readonly httpStatusCode?: number } };

/**
 * What a service calls it when we ask too much of it, or it is at the same work already. Everything else a client did
 * is our fault.
 */
const busy = /Throttl|ThroughputExceeded|RequestLimitExceeded|TooManyRequests|SlowDown|LimitExceeded|TransactionInProgress|RequestTimeout/;

/**
 * Resolves as the call to the service does. Throws {@link Later} naming the operation for transient failures:
 * throttling, a fault of the service, no answer at all. What the service refused by our fault is thrown as it is.
 */
export async function askService<T>(operation: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw isWeather(error) ? new Later('service.busy', `${operation}: ${error.name}: ${error.message}`, { cause: error }) : error;
  }
}

function isWeather(error: unknown): error is SdkError {
  if (!(error instanceof Error)) return false;
  const { $fault, $metadata } = error as SdkError;
  if ($fault === 'client') return busy.test(error.name) || $metadata?.httpStatusCode === 429;
  // Without a fault there was no answer: refused, reset, timed out, a name that did not resolve, credentials that did
  // not come.
  return $fault === 'server' || !(error instanceof TypeError || error instanceof RangeError);
}
