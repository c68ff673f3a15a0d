import type { Bearing } from '../../events/reported/node.ts';
import { clamp, type EpochMs, hourMs, minuteMs } from '../../lib/core/time.ts';

/** How a node bears the client systems that it accepts, as far as its software is measured. */
export type BearingSource = {
  /** The bearing since the last call of `acknowledged`. */
  read(): Bearing;
  /** Muster has what was read last. */
  acknowledged(): void;
};

/**
 * A client system without a successful job is overdue after four times what nine of ten lately took, within these
 * bounds: it may be broken, and its node may be stuck.
 */
const overdueAfter = { times: 4, leastMs: minuteMs, mostMs: 5 * minuteMs } as const;
/** So many first jobs are lately. */
const lately = 100;
/** After so long its first job no longer counts. */
const forgottenMs = hourMs;
/**
 * The bearing as heartbeats carry it: only while Muster asks for it, because an older Muster refuses a heartbeat with
 * it, and a zone whose rates are fixed has no use for it.
 */
export class AskedBearing {
  readonly #source: BearingSource;
  #isAsked = false;

  /** Reports from this source. */
  constructor(source: BearingSource) {
    this.#source = source;
  }

  /** The bearing for the next heartbeat; undefined while Muster does not ask for it. */
  next(): Bearing | undefined {
    const bearing = this.#source.read();
    return this.#isAsked ? bearing : undefined;
  }

  /** Notes an answered heartbeat, and whether it asks for the bearing. */
  answered(asks: boolean): void {
    this.#source.acknowledged();
    this.#isAsked = asks;
  }
}

/** So many first jobs are remembered between two heartbeats. */
const readyMax = 10_000;
/** So many client systems may wait for their first job. */
const waitingMax = 100_000;

/**
 * Measures a node's bearing. The runner of its software calls `accepted` when the software has accepted a client
 * system, and `ready` after the first job that it did there successfully.
 */
export class BearingMeter implements BearingSource {
  readonly #now: () => EpochMs;
  readonly #cpus: () => number;
  readonly #waiting = new Map<string, EpochMs>();
  readonly #overdue = new Map<string, EpochMs>();
  /** The times of the first jobs lately, in ms. */
  #lately: number[] = [];
  /** The times of first jobs in ms, how many were accepted, and how many became overdue, since the last report. */
  #times: number[] = [];
  #accepted = 0;
  #late = 0;
  #since: EpochMs;
  /** What the last report had of these. */
  #read = { times: 0, accepted: 0, late: 0, at: 0 as EpochMs };

  /** Measures by this clock, on a host with so many processors. */
  constructor({ now, cpus }: { readonly now: () => EpochMs; readonly cpus: () => number }) {
    this.#now = now;
    this.#cpus = cpus;
    this.#since = now();
  }

  /** Notes that the software has accepted a client system. */
  accepted(system: string): void {
    this.#accepted += 1;
    // One that was accepted before is the newest again.
    this.#waiting.delete(system);
    this.#overdue.delete(system);
    if (this.#waiting.size < waitingMax) this.#waiting.set(system, this.#now());
  }

  /** Notes a successful job; only the first one after the acceptance counts. */
  ready(system: string): void {
    const at = this.#waiting.get(system) ?? this.#overdue.get(system);
    if (at === undefined) return;
    this.#waiting.delete(system);
    this.#overdue.delete(system);
    const ms = Math.max(0, this.#now() - at);
    if (this.#times.length < readyMax) this.#times.push(ms);
    this.#lately = [...this.#lately.slice(1 - lately), ms];
  }

  /** The bearing since the last acknowledged report, bounded as the report is. */
  read(): Bearing {
    const now = this.#now();
    this.#age(now);
    this.#read = { times: this.#times.length, accepted: this.#accepted, late: this.#late, at: now };
    const { medianMs, p90Ms } = sharesOf(this.#times);
    return {
      overMs: clamp(now - this.#since, 1, hourMs),
      accepted: Math.min(this.#accepted, waitingMax),
      ready: this.#times.length,
      ...(medianMs !== undefined && { medianMs, p90Ms }),
      waiting: this.#waiting.size,
      overdue: Math.min(this.#late, waitingMax),
      cpus: this.#cpus(),
    };
  }

  /** Forgets what was read last; what came since then is for the next report. */
  acknowledged(): void {
    this.#times = this.#times.slice(this.#read.times);
    this.#accepted -= this.#read.accepted;
    this.#late -= this.#read.late;
    this.#since = this.#read.at;
  }

  /** Both maps are in the order of acceptance: the oldest are first. */
  #age(now: EpochMs): void {
    const { times, leastMs, mostMs } = overdueAfter;
    const dueMs = clamp(times * (sharesOf(this.#lately).p90Ms ?? mostMs), leastMs, mostMs);
    for (const [system, at] of this.#waiting) {
      if (now - at <= dueMs) break;
      this.#waiting.delete(system);
      this.#overdue.set(system, at);
      this.#late += 1;
    }
    for (const [system, at] of this.#overdue) {
      if (now - at <= forgottenMs) break;
      this.#overdue.delete(system);
    }
  }
}

/** The time that half of some times do not exceed, and that nine of ten do not; undefined without times. */
function sharesOf(times: readonly number[]): { readonly medianMs: number | undefined; readonly p90Ms: number | undefined } {
  const sorted = times.toSorted((a, b) => a - b);
  const share = (part: number): number | undefined => {
    const ms = sorted[Math.floor(part * sorted.length)];
    return ms === undefined ? undefined : Math.min(hourMs, Math.round(ms));
  };
  return { medianMs: share(0.5), p90Ms: share(0.9) };
}
