import { createHash } from 'node:crypto';
import { contract } from '../../../lib/contract.ts';
import { plusMs, secondMs } from '../../../lib/core/time.ts';
import { parseSecret } from '../../../lib/identity/secret-text.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import type { Around, Cluster } from '../cluster.ts';
import { between, oneOf } from '../random.ts';
import { Knocker } from './knocking.ts';
import { Line } from './network.ts';
import { Person } from './people.ts';
import type { SimulatedSystem } from './system.ts';

/**
 * How long an onboarding token is good for, in s: from one that ends before its machines come to one that outlives the
 * faults.
 */
const lifeS = [15, 120, 3_600] as const;
/** How soon a token that was found is brought, in ms, at the most. */
const broughtWithinMs = 60_000;
/** How many machines of others come at once with a token that was found, at the most. */
const thievesMax = 4;

/** Whoever makes onboarding tokens and carries them to machines, and whoever finds them there. */
export class Onboarding {
  readonly #around: Around;
  readonly #cluster: Cluster;
  readonly #systems: readonly SimulatedSystem[];
  readonly #maker: Person;
  #tokens: { readonly id: string; readonly text: string }[] = [];
  #thieves = 0;

  constructor(around: Around, cluster: Cluster, systems: readonly SimulatedSystem[], isOver: () => boolean) {
    this.#around = around;
    this.#cluster = cluster;
    this.#systems = systems;
    this.#maker = new Person('tokenmaker', around, cluster, isOver);
  }

  start(): void {
    this.#maker.work([
      () => this.#make(),
      () => this.#make(),
      async () => this.#bring(),
      async () => this.#bring(),
      async () => this.#find(),
      async () => this.#find(),
      () => this.#revoke(),
      () => this.#maker.ask(contract.listOnboardingTokens, { query: {} }),
    ]);
  }

  async #make(): Promise<void> {
    const { random } = this.#maker;
    const expiresAt = new Date(plusMs(this.#around.kernel.now, secondMs * oneOf(random, lifeS)!)).toISOString();
    const uses = between(random, 1, 3);
    // The pace of those with the most uses is so small that machines have to wait for their turn. The version before
    // knows no pace.
    const pace = uses === 3 && !this.#cluster.isDeployed ? { perMinute: 1 } : {};
    const body = { uses, ...pace, expiresAt, tags: ['by-token'], ...this.#cluster.zones.some(random) };
    const made = await this.#maker.ask(contract.createOnboardingToken, { body });
    if (made) this.#tokens.push({ id: made.token.id, text: made.secret });
    this.#bring();
  }

  /** Some machines are started with a token in their configuration. */
  #bring(): void {
    // While everything is switched off nobody is there to start anything.
    if (this.#cluster.isAway) return;
    const { random } = this.#maker;
    const token = oneOf(random, this.#tokens)?.text;
    for (const system of this.#systems.filter(() => token !== undefined && random() < 0.4)) {
      system.onboardingToken = token;
      system.stop();
      system.start();
    }
  }

  async #revoke(): Promise<unknown> {
    const id = oneOf(this.#maker.random, this.#tokens)?.id;
    return id && this.#maker.ask(contract.revokeOnboardingToken, { params: { id }, body: {} });
  }

  /** Machines of somebody who has found a token, or only knows its name, come with it all at once. */
  #find(): void {
    const { kernel, faults } = this.#around;
    const { random } = this.#maker;
    const found = oneOf(random, this.#tokens);
    if (!found || !faults.hits('found-token', 4)) return;
    const token = random() < 0.3 ? guessed(found.text) : found.text;
    const at = random() ** 3 * broughtWithinMs;
    for (let n = between(random, 1, thievesMax); n > 0; n--) {
      this.#thieves += 1;
      const line = new Line(`finder${this.#thieves}`, this.#around, this.#cluster);
      const by = keyPairOf(line.name);
      kernel.after(at, `${line.name} brings a token`, () => {
        if (!this.#maker.isOver()) void new Knocker(kernel, line).knock({ body: { publicKey: by.publicKey, token }, by });
      });
    }
  }
}

/** A text of the right form with the name of a token and another secret. */
function guessed(text: string): string {
  const { id } = parseSecret(text, 'mot') as { readonly id: string };
  const body = `mot_${id}_${Buffer.alloc(32, 9).toString('base64url')}`;
  return `${body}_${createHash('sha256').update(body, 'utf8').digest('hex').slice(0, 6)}`;
}
