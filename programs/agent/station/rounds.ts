import { type EpochMs, secondMs } from '../../../lib/core/time.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import { inTurns } from './in-turns.ts';

/** How often it is looked who answers: somewhat oftener than a station says so. */
export const roundEveryMs = 5 * secondMs;
/** How long a node may take to answer. */
export const pingLimitMs = 2 * secondMs;
/** How many are asked at once at the most. */
const atOnceMax = 64;
/**
 * For how long one answer counts: two rounds that are lost cost nobody anything, and who is gone is known before its
 * lease is.
 */
export const heardForMs = 18 * secondMs;

/** Whether a program answers at an address; never rejects. */
export type Ping = (address: string, limitMs: number) => Promise<boolean>;

/** What rounds are made with. */
export type RoundsOptions = {
  readonly ping: Ping;
  readonly world: Pick<World, 'after' | 'now' | 'random'>;
  /** Called after each round. */
  readonly looked?: () => void;
};

/** Asks addresses whether they answer, round by round, each at a moment of its own. */
export class PingRounds {
  readonly #options: RoundsOptions;
  readonly #heardAt = new Map<string, EpochMs>();
  #addresses: readonly string[] = [];
  #isOn = false;
  /** When the last round that has asked all of them was over. */
  #lookedAt: EpochMs | undefined;
  #rounds = 0;
  #cancel: (() => void) | undefined;

  /** Rounds that ask nobody yet. */
  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /**
   * Whether a round is over that has asked all, and not so long ago that no answer counts: one that stood still itself
   * knows nothing of anybody.
   */
  get hasLooked(): boolean {
    return this.#lookedAt !== undefined && this.#lookedAt > this.#options.world.now() - heardForMs;
  }

  /** Asks these from now on. Of those that are new nothing is known until they were asked. */
  asks(addresses: readonly string[]): void {
    const before = new Set(this.#addresses);
    this.#addresses = addresses;
    if (this.#isOn && addresses.every((one) => before.has(one))) return;
    this.#isOn = true;
    this.#cancel?.();
    this.#lookedAt = undefined;
    void this.#round(++this.#rounds);
  }

  /** Whether an address has answered lately. */
  hears = (address: string): boolean => (this.#heardAt.get(address) ?? 0) > this.#options.world.now() - heardForMs;

  /** When an address has answered last. */
  heardAt = (address: string): EpochMs | undefined => this.#heardAt.get(address);

  /** Asks nobody any more, and forgets who answered. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#rounds++;
    this.#isOn = false;
    this.#lookedAt = undefined;
    this.#heardAt.clear();
  }

  /** One round after another, until a newer one has begun. */
  async #round(n: number): Promise<void> {
    const { ping, world, looked } = this.#options;
    const addresses = this.#addresses;
    await inTurns(addresses, atOnceMax, async (address) => {
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
