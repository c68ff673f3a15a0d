import { type EpochMs, secondMs } from '../core/time.ts';

/** How often a caller may call: so often on average, and so many calls at once after a pause. */
export type Rate = { readonly perSecond: number; readonly burst: number };

/** Whose calls are counted together, and against which rate. */
export type RateName = 'source' | 'newcomers' | 'node' | 'client' | 'admin';
export type Rates = Readonly<Record<RateName | 'checks', Rate>>;

/**
 * How often callers may call each environment, which counts for itself in its own memory: a second environment allows
 * as much again. They are there against programs that have gone wild and keys that were stolen, not to shape a fleet,
 * so nothing well-behaved meets them.
 */
export const usualRates: Rates = {
  /**
   * Whoever calls from one address, proved or not: a site of 20 000 nodes behind one address that beat every 10 s, and
   * a fifth of the signatures that one core can verify. Before anything is verified, so that lies cost no more than
   * this.
   */
  source: { perSecond: 2_000, burst: 4_000 },
  /**
   * Joins and sign-ins from one address: a row of racks that boots at once is in within two minutes; secrets cannot be
   * guessed at any rate.
   */
  newcomers: { perSecond: 10, burst: 100 },
  /** One node's key: a heartbeat a second at the shortest, and a full outbox of reports after an outage, in packs. */
  node: { perSecond: 20, burst: 40 },
  /**
   * One client's key: a knock every 5 s at the most while it looks for its place; some more when it is started again
   * and again.
   */
  client: { perSecond: 1, burst: 10 },
  /** One administrator or API key: a script that goes through thousands of machines, in pages and packs. */
  admin: { perSecond: 50, burst: 100 },
  /**
   * Not calls, but ms of processor time that checks of schemas take for one caller (lib/runtime/processor-time.ts):
   * most take less than one, so a twentieth of a core is some dozens a second. The four dearest checks that there can
   * be use up the burst.
   */
  checks: { perSecond: 50, burst: 2_000 },
};

/** Calls that a caller may still make, as of a moment. */
export type Bucket = { readonly tokens: number; readonly at: EpochMs };

/** Tokens are fractions: what lacks less than this of a whole one is one. */
const rounding = 1e-9;

/**
 * Takes a call out of a bucket; in how many whole ms there will be one when there is none. A clock that goes back fills
 * nothing.
 */
export function take(before: Bucket | undefined, rate: Rate, now: EpochMs): { readonly bucket: Bucket; readonly waitMs: number } {
  const grown = before ? before.tokens + (Math.max(0, now - before.at) * rate.perSecond) / secondMs : rate.burst;
  const tokens = Math.min(rate.burst, grown);
  if (tokens >= 1 - rounding) return { bucket: { tokens: tokens - 1, at: now }, waitMs: 0 };
  return { bucket: { tokens, at: now }, waitMs: Math.ceil((1 - tokens - rounding) * (secondMs / rate.perSecond)) };
}

/**
 * Buckets of each kind that an environment remembers, some 100 bytes each; who floods us with more addresses than that
 * is not held by this.
 */
const bucketsMax = 20_000;

/**
 * Buckets by caller, in two generations: when the newer one is full, the older one, which nobody has used meanwhile, is
 * forgotten.
 */
export class Buckets {
  #newer = new Map<string, Bucket>();
  #older = new Map<string, Bucket>();
  readonly #max: number;

  constructor(max = bucketsMax) {
    this.#max = max;
  }

  /** How many are remembered: twice the most of one generation at the most. */
  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  /** Takes a call for this caller; how many ms it has to wait, 0 when it may. */
  take(caller: string, rate: Rate, now: EpochMs): number {
    const { bucket, waitMs } = take(this.#newer.get(caller) ?? this.#older.get(caller), rate, now);
    if (this.#newer.size >= this.#max && !this.#newer.has(caller)) [this.#older, this.#newer] = [this.#newer, new Map()];
    this.#newer.set(caller, bucket);
    return waitMs;
  }
}
