import { nodeIdOf } from '../../lib/identity/fingerprint.ts';
import type { KeyPair } from '../../lib/identity/key-pair.ts';
import { keyPairOf, signedBy } from '../../tools/support/signing.ts';
import type { RecordedCall } from './history.ts';

/** Names of keys that are not the name of their machine. */
const otherNames = ['a new machine'];

/**
 * Signs the calls of machines in a history from before calls were signed: by the key of the name that they said, which they all had. So
 * no recording needs to change, and their signatures are the same each time.
 */
export class Signers {
  readonly #nodes = new Map<string, KeyPair>();
  #nonces = 0;

  /** The headers that sign a call; none for a call of no machine. */
  headersOf(call: Omit<RecordedCall, 'headers'>, at: { readonly deployment: string; readonly nowMs: number }): Record<string, string> {
    const pair = this.#nodes.get(call.path.split('/')[2] ?? '') ?? this.#pairInBody(call.body);
    if (!pair) return {};
    this.#nodes.set(nodeIdOf(pair.publicKey), pair);
    this.#nonces += 1;
    return { ...signedBy(pair, call, { ...at, nonce: `replayed-${String(this.#nonces).padStart(12, '0')}` }) };
  }

  #pairInBody(body: string): KeyPair | undefined {
    const { publicKey, fqdn } = (body === '' ? {} : JSON.parse(body)) as { publicKey?: string; fqdn?: string };
    if (publicKey === undefined || fqdn === undefined) return undefined;
    const pair = [fqdn, ...otherNames].map(keyPairOf).find((one) => one.publicKey === publicKey);
    if (!pair) throw new Error(`nobody knows whose key ${fqdn} had in this history`);
    return pair;
  }
}
