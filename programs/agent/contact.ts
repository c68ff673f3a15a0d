import { minuteMs } from '../../lib/core/time.ts';
import { type Moment, sinceMs } from './moment.ts';

/**
 * For how long after its last heartbeat that was answered an agent starts again by itself what ends, in ms. A node is
 * dropped by itself 30 min after it went down at the soonest, and only then may another machine take its place: this is
 * less, by more than clocks drift apart.
 */
export const aloneMaxMs = 25 * minuteMs;

/**
 * When Muster answered this agent last. An agent that has started again was answered by nobody yet: its host may have
 * been switched off because it was given up.
 */
export class Contact {
  readonly #clocks: () => Moment;
  #last: Moment | undefined;

  /** Contact by these clocks; none before the first answer. */
  constructor(clocks: () => Moment) {
    this.#clocks = clocks;
  }

  /** The moment of a call, for {@link Contact.answered}. */
  sentAt = (): Moment => this.#clocks();

  /** A heartbeat was acknowledged that went out then. */
  answered(sentAt: Moment): void {
    this.#last = sentAt;
  }

  /** Muster has said that this is no node of it now. */
  refused(): void {
    this.#last = undefined;
  }

  /** Whether nobody could have taken the place of this host since. */
  isRecent = (): boolean => this.#last !== undefined && sinceMs(this.#last, this.#clocks()) < aloneMaxMs;
}
