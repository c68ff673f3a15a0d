import { type EpochMs, secondMs } from '../../../lib/core/time.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import { concurrently } from './in-turns.ts';

/** How often to ping: somewhat more often than a station reports. */
export const roundEveryMs = 5 * secondMs;
/** How long a node may take to answer. */
export const pingLimitMs = 2 * secondMs;
/** The most pings at the same time. */
const atOnceMax = 64;
/** How long one answer counts: two lost rounds have no effect, and a lost node is noticed before its lease ends. */
export const heardForMs = 18 * secondMs;

/** Whether a program answers at an address; never rejects. */
export type Ping = (address: string, limitMs: number) => Promise<boolean>;

/** The options of rounds of pings. */
export type RoundsOptions = {
  readonly ping: Ping;
  readonly world: Pick<World, 'after' | 'now' | 'random'>;
  /** Called after each round. */
  readonly looked?: () => void;
};

/** Pings addresses, round by round, at intervals with some random variation. */
export class PingRounds {
  readonly #options: RoundsOptions;
  readonly #heardAt = new Map<string, EpochMs>();
  #addresses: readonly string[] = [];
  #isOn = false;
  /** When the last round over all addresses ended. */
  #lookedAt: EpochMs | undefined;
  #rounds = 0;
  #cancel: (() => void) | undefined;

  /** Rounds without addresses yet. */
  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /**
   * Whether a round over all addresses has ended recently enough that its answers count: after a halt of this machine
   * itself, nothing is known of any node.
   */
  get hasLooked(): boolean {
    return this.#lookedAt !== undefined && this.#lookedAt > this.#options.world.now() - heardForMs;
  }

  /** Pings these addresses from now on. With a new one among them, nothing is known until the next round has ended. */
  setAddresses(addresses: readonly string[]): void {
    const before = new Set(this.#addresses);
    this.#addresses = addresses;
    if (this.#isOn && addresses.every((one) => before.has(one))) return;
    this.#isOn = true;
    this.#cancel?.();
    this.#lookedAt = undefined;
    void this.#round(++this.#rounds);
  }

  /** Whether an address has answered within {@link heardForMs}. */
  hears = (address: string): boolean => (this.#heardAt.get(address) ?? 0) > this.#options.world.now() - heardForMs;

  /** When an address answered last. */
  heardAt = (address: string): EpochMs | undefined => this.#heardAt.get(address);

  /** Stops the rounds, and forgets all answers. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#rounds++;
    this.#isOn = false;
    this.#lookedAt = undefined;
    this.#heardAt.clear();
  }

  /** Runs one round after another, until a newer series of rounds has begun. */
  async #round(n: number): Promise<void> {
    const { ping, world, looked } = this.#options;
    const addresses = this.#addresses;
    await concurrently(addresses, atOnceMax, async (address) => {
      if (n === this.#rounds && (await ping(address, pingLimitMs))) this.#heardAt.set(address, world.now());
    });
    if (n !== this.#rounds) return;
    this.#lookedAt = world.now();
    const known = new Set(this.#addresses);
    for (const address of this.#heardAt.keys()) if (!known.has(address)) this.#heardAt.delete(address);
    this.#cancel = world.after(Math.round(roundEveryMs * (0.9 + 0.2 * world.random())), () => this.#round(n));
    looked?.();
  }
}
