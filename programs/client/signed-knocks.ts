import type { Fetching } from '../../lib/api/client.ts';
import { type SigningOptions, signing } from '../../lib/api/signed.ts';
import { clientRoutes } from '../../lib/clients/routes.ts';

/**
 * Signs the knocks of one machine with its key. Its other calls are sent as they are, because the token from a knock
 * authenticates them.
 */
export function signedKnocks(options: SigningOptions): Fetching {
  const { fetching = fetch } = options;
  const signed = signing(options);
  return (url, init) => (init.method === clientRoutes.knock.method ? signed(url, init) : fetching(url, init));
}
