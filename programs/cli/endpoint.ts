import { isPrivate } from '../../lib/machine/endpoint.ts';
import { exitCodes, Failure } from './exit-codes.ts';

/**
 * Throws a {@link Failure} where a secret would be read by everybody on the way, unless that is what the person wants.
 */
export function wantPrivate(endpoint: string, insecure: boolean | undefined): void {
  if (insecure || isPrivate(endpoint)) return;
  throw new Failure(
    exitCodes.usage,
    `${endpoint} is not reached by https: whoever sees the call go by could use its token`,
    'Give an https address, or --insecure if the network is yours alone',
  );
}
