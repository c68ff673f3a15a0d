import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { signing } from '../../../lib/api/signed.ts';
import type { Fqdn } from '../../../lib/core/ids.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import type { Around, Cluster } from '../cluster.ts';
import { Line } from './network.ts';

/** How soon a stolen token is brought, in ms, at the most: before its host, or long after it. */
const broughtWithinMs = 90_000;

/**
 * A machine that has read the join token of another: it brings it twice, with a key of its own and under the name that
 * it was told.
 */
export class Thief {
  readonly #name: string;
  readonly #publicKey: string;
  readonly #api: ApiClient;
  readonly #around: Around;
  #nonces = 0;

  constructor(n: number, around: Around, cluster: Cluster) {
    this.#name = `thief${n}`;
    this.#around = around;
    const pair = keyPairOf(this.#name);
    this.#publicKey = pair.publicKey;
    const line = new Line(this.#name, around, cluster);
    this.#api = line.api((fetching) =>
      signing({
        keys: () => pair,
        known: () => ({ deployment: 'simulated', clockAheadMs: 0 }),
        learn: () => undefined,
        now: () => around.kernel.now,
        newNonce: this.#newNonce,
        fetching,
      }),
    );
  }

  /** Brings the token within a while, unless everything is over by then. */
  bring(token: string, fqdn: Fqdn, isOver: () => boolean): void {
    const { kernel } = this.#around;
    const random = kernel.random(this.#name);
    for (let time = 0; time < 2; time++)
      kernel.after(random() ** 3 * broughtWithinMs, `${this.#name} brings a token`, () => {
        if (!isOver()) void this.#join(token, fqdn);
      });
  }

  async #join(token: string, fqdn: Fqdn): Promise<void> {
    try {
      await this.#api(nodeRoutes.join, { body: { token, publicKey: this.#publicKey, fqdn, kind: 'salt' } });
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  #newNonce = (): string => {
    this.#nonces += 1;
    return `${this.#name}-${String(this.#nonces).padStart(16, '0')}`;
  };
}
