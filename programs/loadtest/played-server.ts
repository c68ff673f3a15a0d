import { type EpochMs, secondMs } from '../../lib/core/time.ts';
import { BearingMeter, type BearingSource } from '../agent/bearing.ts';

/** How a played server works. */
export type PlayedServerOptions = {
  readonly now: () => EpochMs;
  /** How many client systems it registers a second, given the moment and how many wait. */
  readonly perS: (now: EpochMs, waiting: number) => number;
  /** How long the first job of a client system takes once it is registered, in ms. */
  readonly jobMs: () => number;
  /** Whether the next client system never has a successful job; none does by default. */
  readonly isBroken?: () => boolean;
  readonly cpus?: number;
};

/** The longest stretch over which its speed counts as constant, in ms. */
const stretchMs = 100;

/**
 * A server that registers client systems one after another, as fast as it can, and does a first job on each. It tells
 * nobody how fast it is; what it gets done is measured as a runner measures it.
 */
export class PlayedServer {
  readonly meter: BearingMeter;
  readonly #with: PlayedServerOptions;
  readonly #waiting: string[] = [];
  readonly #jobs: { readonly system: string; readonly at: number }[] = [];
  #credit = 0;
  #playedTo: number;

  /** A server without client systems. */
  constructor(options: PlayedServerOptions) {
    this.#with = options;
    this.#playedTo = options.now();
    this.meter = new BearingMeter({ now: options.now, cpus: () => options.cpus ?? 4 });
  }

  /** What its node's agent reports of it. */
  readonly measured: BearingSource = {
    read: () => {
      this.work();
      return this.meter.read();
    },
    acknowledged: () => this.meter.acknowledged(),
  };

  /** How many client systems wait to be registered. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Accepts a client system. */
  accept(system: string): void {
    this.meter.accepted(system);
    if (!this.#with.isBroken?.()) this.#waiting.push(system);
  }

  /** Works until now. */
  work(): void {
    const { now, perS, jobMs } = this.#with;
    const until = now();
    while (this.#playedTo < until) {
      const at = Math.min(until, this.#playedTo + stretchMs);
      // What it could have done while nobody waited is lost.
      this.#credit = this.#waiting.length === 0 ? 0 : this.#credit;
      this.#credit += (perS(at as EpochMs, this.#waiting.length) * (at - this.#playedTo)) / secondMs;
      for (; this.#credit >= 1 && this.#waiting.length > 0; this.#credit--)
        this.#jobs.push({ system: this.#waiting.shift()!, at: at + jobMs() });
      this.#playedTo = at;
    }
    for (const { system } of this.#jobs.filter(({ at }) => at <= until)) this.meter.ready(system);
    this.#jobs.splice(0, this.#jobs.length, ...this.#jobs.filter(({ at }) => at > until));
  }
}
