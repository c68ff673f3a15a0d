import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withBearer } from '../../lib/api/bearer.ts';
import { type ApiClient, apiClient } from '../../lib/api/client.ts';
import { mintSecret } from '../../lib/identity/secret-text.ts';

const minted = mintSecret('mst', (bytes) => createHash('shake256', { outputLength: bytes }).update('the operator of tests').digest());

/** The operator's secret of every deployment in memory, which gives all rights everywhere. */
export const operatorSecret: string = minted.text;
/** Its hash, as those deployments store it. */
export const operatorHash: string = minted.hash;
/** The header that carries it. */
export const asOperator = { authorization: `Bearer ${operatorSecret}` } as const;

/** The headers of a call: on a path of the admin API the operator's, unless the given ones name a caller. */
export const withOperator = (path: string, headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
  path.startsWith('/api/v1/') ? { ...asOperator, ...headers } : headers;

/**
 * The operators of the embedded hosts that this process knows, by address; each is read anew, because a host makes one
 * at each start.
 */
const met = new Map<string, () => string | undefined>();

/** From now on calls of tests to this address are its operator's. */
export const knowOperator = (url: string, secret: () => string | undefined): void => void met.set(new URL(url).origin, secret);

/** The secret of the operator of a host that was met. */
export const operatorAt = (url: string): string | undefined => met.get(new URL(url).origin)?.();

/** The secret that a host has left in its state folder; undefined when there is none. */
export function operatorIn(home: string): string | undefined {
  try {
    return readFileSync(join(home, 'operator.key'), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A client of a host that was met, as its operator. */
export const apiAt = (url: string, options: { readonly timeoutMs?: number } = {}): ApiClient =>
  apiClient(url, { ...options, fetching: withBearer(() => operatorAt(url)) });
