import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { signing } from '../../../lib/api/signed.ts';
import { contract } from '../../../lib/contract.ts';
import type { Fqdn } from '../../../lib/core/ids.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf, type Random } from '../random.ts';
import { Line } from './network.ts';
import { Person } from './people.ts';

/**
 * How many machines say where they are not, one after another: each holds a name that is given up only once faults have
 * ended.
 */
const liarsMax = 12;

/** A machine that asks to be a node, and to be watched somewhere else each time. */
class Liar {
  readonly fqdn: Fqdn;
  readonly #publicKey: string;
  readonly #api: ApiClient;
  readonly #random: Random;
  readonly #address: string;
  #nonces = 0;

  constructor(n: number, around: Around, cluster: Cluster, random: Random) {
    const name = `liar${n}`;
    this.fqdn = `${name}.simulated.test` as Fqdn;
    this.#random = random;
    const pair = keyPairOf(name);
    this.#publicKey = pair.publicKey;
    const line = new Line(name, around, cluster);
    this.#address = line.address = `198.51.100.${n}`;
    this.#api = line.api((fetching) =>
      signing({
        keys: () => pair,
        known: () => ({ deployment: 'simulated', clockAheadMs: 0 }),
        learn: () => undefined,
        now: () => around.kernel.now,
        newNonce: () => {
          this.#nonces += 1;
          return `${name}-${String(this.#nonces).padStart(16, '0')}`;
        },
        fetching,
      }),
    );
  }

  /** Asks to be a node, with a token or without. */
  async join(token?: string): Promise<void> {
    const body = { publicKey: this.#publicKey, fqdn: this.fqdn, kind: 'salt' as const, watch: this.#somewhere() };
    try {
      await this.#api(nodeRoutes.join, { body: { ...body, ...(token !== undefined && { token }) } });
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  /**
   * Now and then where it is, so that it is let in; else at another node, at what only others reach, or at an address
   * that is written as a name.
   */
  #somewhere(): string {
    const port = oneOf(this.#random, [22, 80, 4505])!;
    const own = [this.fqdn.toUpperCase(), this.#address];
    const others = ['node1.simulated.test', `inside.${this.fqdn}`, '169.254.169.254', '127.0.0.1', 'localhost', '10.0.0.0x5'];
    return `${oneOf(this.#random, this.#random() < 0.15 ? own : others)}:${port}`;
  }
}

/** Machines ask to be watched where they are not, and somebody lets some of them: by tokens, and from the pool. */
export function askToBeWatched(around: Around, cluster: Cluster, isOver: () => boolean): void {
  if (!around.config.liars) return;
  const keeper = new Person('doorkeeper', around, cluster, isOver);
  const { random } = keeper;
  const liars = [new Liar(1, around, cluster, random)];
  const some = (): Liar => {
    if (random() < 0.4 && liars.length < liarsMax) liars.push(new Liar(liars.length + 1, around, cluster, random));
    return random() < 0.5 ? liars.at(-1)! : oneOf(random, liars)!;
  };
  const anyWatch = (): boolean => random() < 0.4;
  const bring = async (): Promise<void> => {
    const liar = some();
    const token = await keeper.ask(contract.createNodeToken, { body: { nodes: liar.fqdn, kind: 'salt', anyWatch: anyWatch() } });
    if (token) await liar.join(token.secret);
  };
  const admit = async (): Promise<void> => {
    const liar = some();
    await liar.join();
    await keeper.ask(contract.admitHosts, { body: { hosts: [liar.fqdn], anyWatch: anyWatch() } });
    await liar.join();
  };
  keeper.work([bring, admit, admit, () => some().join()]);
}
