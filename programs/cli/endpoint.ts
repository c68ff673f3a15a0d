import { isPrivate } from '../../lib/machine/endpoint.ts';
import { exitCodes, Failure } from './exit-codes.ts';

/**
 * Throws a {@link Failure} where others on the network could read a secret, unless the person accepts that.
 */
export function wantPrivate(endpoint: string, insecure: boolean | undefined): void {
  if (insecure || isPrivate(endpoint)) return;
  throw new Failure(
    exitCodes.usage,
    `${endpoint} does not use https: anyone on the network could read the token and use it`,
    'Give an https address, or --insecure on a network of your own',
  );
}
