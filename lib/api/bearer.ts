import type { Fetching } from './client.ts';

/** Under which path calls are answered only to who shows a bearer token. */
const bearerPath = '/api/v1/';

/**
 * Shows a bearer token (RFC 6750) on every call of the admin API, and on no other. `source` is asked for each call,
 * because tokens are renewed; without one the call goes out bare, and is told what it lacks.
 */
export const showing =
  (source: () => string | undefined | Promise<string | undefined>, fetching: Fetching = fetch): Fetching =>
  async (url, init) => {
    const token = new URL(url).pathname.startsWith(bearerPath) ? await source() : undefined;
    if (token === undefined) return fetching(url, init);
    return fetching(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
  };
