import { type Fetching, Unreachable } from '../../../lib/api/client.ts';
import type { BodyOf } from '../../../lib/api/route.ts';
import { clientHeaders } from '../../../lib/clients/routes.ts';
import { contract } from '../../../lib/contract.ts';
import type { Fqdn } from '../../../lib/core/ids.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import { signedBy } from '../../../tools/support/signing.ts';
import type { Kernel } from '../kernel.ts';
import type { Line } from './network.ts';

/** A knock that no daemon makes: who signs it, if anybody does, and which key the signature says that it is by. */
export type Knock = {
  readonly body: Partial<BodyOf<(typeof contract)['knock']>> & { readonly publicKey: string };
  readonly by?: KeyPair;
  readonly keyId?: string;
};

/**
 * Under which name whoever is no daemon knocks by a key, another for each: a machine's row never says it, unless it is
 * his own.
 */
const forgedName = (publicKey: string): Fqdn =>
  `forged-${Buffer.from(publicKey, 'base64url').toString('hex').slice(0, 16)}.simulated.test` as Fqdn;

/** Whether a name is one that no machine has. */
export const isForged = (fqdn: string): boolean => fqdn.startsWith('forged-');

/** Makes knocks by hand over a line, each with a nonce of its own. */
export class Knocker {
  readonly #kernel: Kernel;
  readonly #line: Line;
  #nonces = 0;

  constructor(kernel: Kernel, line: Line) {
    this.#kernel = kernel;
    this.#line = line;
  }

  /** Knocks once; what is answered, the invariants see. Gives the token that it was given, if any. */
  async knock({ body, by, keyId }: Knock): Promise<string | undefined> {
    this.#nonces += 1;
    const nonce = `${this.#line.name}-${String(this.#nonces).padStart(16, '0')}`;
    const signs =
      (fetching: Fetching): Fetching =>
      (url, init) => {
        const call = { method: init.method, path: new URL(url).pathname, query: '', body: init.body ?? '' };
        const own = by ? signedBy(by, call, { deployment: 'simulated', nowMs: this.#kernel.now, nonce }) : {};
        const input = own['signature-input']?.replace(/keyid="[^"]*"/, (found) => (keyId === undefined ? found : `keyid="${keyId}"`));
        return fetching(url, { ...init, headers: { ...init.headers, ...own, ...(input && { 'signature-input': input }) } });
      };
    const machineId = `forged-${body.publicKey.slice(0, 16)}`;
    const facts = { fqdn: forgedName(body.publicKey), machineId, facts: {}, suggestedTags: [] };
    try {
      const { headers } = await this.#line.api(signs)(contract.knock, { body: { ...facts, ...body } });
      return headers.get(clientHeaders.token) ?? undefined;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      return undefined;
    }
  }
}
