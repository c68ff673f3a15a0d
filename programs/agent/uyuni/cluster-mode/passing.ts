import { isLoopback } from '../../../../lib/machine/endpoint.ts';
import type { Folder } from '../../../../lib/machine/folder.ts';
import { readClusterMode } from './settings.ts';

/** The header by which Apache knows a call that the agent has judged, or makes itself. */
export const passedHeader = 'muster-passed';

/**
 * Calls of the agent itself to the server of this host, which pass where common content is locked: it makes groups and
 * keys that the metadata of a client system needs. The secret goes to this machine alone.
 */
export const passing =
  (fetching: typeof fetch, folder: Folder): typeof fetch =>
  async (input, init) => {
    const mode = isLoopback(String(input)) ? readClusterMode(folder) : undefined;
    if (!mode?.locksContent) return fetching(input, init);
    const headers = new Headers(init?.headers);
    headers.set(passedHeader, mode.secret);
    return fetching(input, { ...init, headers });
  };
