import { minuteMs } from '../../lib/core/time.ts';
import { type Moment, sinceMs } from './moment.ts';

/**
 * For how long after its last answered heartbeat an agent restarts by itself what ends, in ms. Muster drops a node 30
 * min after it went down at the soonest, and only then may another machine take its place. This limit is shorter, by
 * more than clocks drift apart.
 */
export const aloneMaxMs = 25 * minuteMs;

/**
 * When Muster answered this agent last. After a start the agent has no answer yet: its host may have been switched off
 * because its node was given up.
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

  /** Notes that Muster acknowledged the heartbeat sent at this moment. */
  answered(sentAt: Moment): void {
    this.#last = sentAt;
  }

  /** Notes that Muster refused this node. */
  refused(): void {
    this.#last = undefined;
  }

  /** How long ago the last acknowledged heartbeat was sent, in ms; undefined before the first, and once refused. */
  answeredAgoMs = (): number | undefined => this.#last && sinceMs(this.#last, this.#clocks());

  /** Whether Muster answered so recently that no other machine can have taken the place of this host. */
  isRecent = (): boolean => this.#last !== undefined && sinceMs(this.#last, this.#clocks()) < aloneMaxMs;
}
