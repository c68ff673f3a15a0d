import type { Fetching } from './client.ts';

/** Calls under this path need a bearer token. */
const bearerPath = '/api/v1/';

/**
 * Sends a bearer token (RFC 6750) with every call of the admin API, and with no other. `source` gives the token for
 * each call, because tokens are renewed. Without a token the call goes out bare, and its answer names what is missing.
 */
export const withBearer =
  (source: () => string | undefined | Promise<string | undefined>, fetching: Fetching = fetch): Fetching =>
  async (url, init) => {
    const token = new URL(url).pathname.startsWith(bearerPath) ? await source() : undefined;
    if (token === undefined) return fetching(url, init);
    return fetching(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
  };
