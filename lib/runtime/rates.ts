import { type Bucket, type Rate, take } from '../core/rate.ts';
import type { EpochMs } from '../core/time.ts';

/** The groups of calls that are counted together, each against its own rate. */
export type RateName = 'source' | 'newcomers' | 'token' | 'node' | 'client' | 'admin';
export type Rates = Readonly<Record<RateName | 'checks', Rate>>;

/**
 * How often callers may call each environment, which counts for itself in its own memory: a second environment allows
 * as much again. The limits protect against runaway programs and stolen keys. They do not shape a fleet, and
 * well-behaved callers never reach them.
 */
export const usualRates: Rates = {
  /**
   * All calls from one address, verified or not: a site of 20 000 nodes behind one address with a heartbeat every 10 s,
   * and a fifth of the signatures that one core can verify. Counted before anything is verified, so that false calls
   * cost no more than this.
   */
  source: { perSecond: 2_000, burst: 4_000 },
  /**
   * Joins and sign-ins from one address: a row of racks that boots at once has joined within two minutes; secrets
   * cannot be guessed at any rate.
   */
  newcomers: { perSecond: 10, burst: 100 },
  /**
   * Knocks with one valid onboarding token from one address, apart from `source`: a site that brings its machines in
   * and strangers at its address do not use up each other's calls. As many as `source`, since a knock costs as much as
   * any signed call: a thief who calls with the token from elsewhere only doubles the calls of that address.
   */
  token: { perSecond: 2_000, burst: 4_000 },
  /** One node's key: a heartbeat a second at the shortest, and a full outbox of reports after an outage, in packs. */
  node: { perSecond: 20, burst: 40 },
  /**
   * One client's key: a knock every 5 s at the most while it waits for its node; some more when it is restarted
   * repeatedly.
   */
  client: { perSecond: 1, burst: 10 },
  /** One administrator or API key: a script that goes through thousands of machines, in pages and packs. */
  admin: { perSecond: 50, burst: 100 },
  /**
   * Not calls, but ms of processor time that checks of schemas take for one caller (lib/runtime/processor-time.ts):
   * most take less than one, so a twentieth of a core is some dozens a second. Four checks of the greatest possible
   * cost use up the burst.
   */
  checks: { perSecond: 50, burst: 2_000 },
};

/**
 * Buckets of each kind that an environment remembers, some 100 bytes each; a flood from more addresses than that is not
 * limited by this.
 */
const bucketsMax = 20_000;

/** Buckets by caller, in two generations: when the newer one is full, the older one, unused meanwhile, is forgotten. */
export class Buckets {
  #newer = new Map<string, Bucket>();
  #older = new Map<string, Bucket>();
  readonly #max: number;

  constructor(max = bucketsMax) {
    this.#max = max;
  }

  /** The number of remembered buckets: at most twice the maximum of one generation. */
  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  /** Takes a call for this caller; gives the ms that it must wait, 0 when it may call. */
  take(caller: string, rate: Rate, now: EpochMs): number {
    const { bucket, waitMs } = take(this.#newer.get(caller) ?? this.#older.get(caller), rate, now);
    if (this.#newer.size >= this.#max && !this.#newer.has(caller)) [this.#older, this.#newer] = [this.#newer, new Map()];
    this.#newer.set(caller, bucket);
    return waitMs;
  }
}
