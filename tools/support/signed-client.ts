import { randomBytes } from 'node:crypto';
import { type ApiClient, apiClient, type Fetching } from '../../lib/api/client.ts';
import { type SigningFor, type SigningOptions, signing } from '../../lib/api/signed.ts';
import type { KeyPair } from '../../lib/identity/key-pair.ts';
import { signedKnocks } from '../../programs/client/signed-knocks.ts';

type Options = {
  /** How calls reach the deployment; by default `fetch`. */
  readonly fetching?: Fetching;
  readonly timeoutMs?: number;
  /** The machine's clock, in ms; by default the system's. */
  readonly now?: () => number;
  readonly newNonce?: () => string;
};

/**
 * A client of the deployment at `url` for one machine: its knocks are signed by this key, and it learns for which
 * deployment it signs.
 */
export function signedClient(
  url: string,
  pair: KeyPair,
  { fetching, timeoutMs, now = Date.now, newNonce = aNonce }: Options = {},
): ApiClient {
  const signed = signedKnocks({ keys: () => pair, ...learning(), now, newNonce, ...(fetching && { fetching }) });
  return apiClient(url, { fetching: signed, ...(timeoutMs !== undefined && { timeoutMs }) });
}

/** A client of the deployment at `url` for one node, all of whose calls are signed by this key. */
export const signedNode = (url: string, pair: KeyPair): ApiClient => apiClient(url, { fetching: signedFetch(pair) });

/** Calls of one machine, each signed by this key. */
export const signedFetch = (pair: KeyPair, fetching: Fetching = fetch): Fetching =>
  signing({ keys: () => pair, ...learning(), now: Date.now, newNonce: aNonce, fetching });

/** Remembers the name and the clock that a deployment reports to its signers. */
function learning(): Pick<SigningOptions, 'known' | 'learn'> {
  let known: SigningFor = { clockAheadMs: 0 };
  return {
    known: () => known,
    learn: (next) => {
      known = next;
    },
  };
}

const aNonce = (): string => randomBytes(18).toString('base64url');
