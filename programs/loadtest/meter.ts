import { type ApiClient, type Fetching, Unreachable } from '../../lib/api/client.ts';
import { problemTypeOf } from '../../lib/api/problem.ts';
import { Histogram } from './histogram.ts';
import type { Latencies, Second } from './report.ts';

/** The figures of a second beside those that are counted. */
type Gauges = Pick<Second, 'atS' | 'clients' | 'nodes' | 'silent' | 'waiting' | 'lateMs'>;

/** Counts calls, their latencies and their refusals, second by second and altogether. */
export class Meter {
  readonly #elapsedMs: () => number;
  readonly #all = new Map<string, Histogram>();
  readonly #errors = new Map<string, number>();
  #calls: Record<string, number> = {};
  #refused: Record<string, number> = {};
  readonly #clientCalls = new Histogram();
  readonly #nodeCalls = new Histogram();

  /** `elapsedMs` measures durations. */
  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /**
   * Measures every call made through it, from when it is sent until its answer is read to the end. A first knock is two
   * calls, because it learns which deployment to sign for.
   */
  fetching(under: Fetching): Fetching {
    return async (url, init) => {
      const began = this.#elapsedMs();
      const { ok, status, headers, text } = await whole(under(url, init));
      this.#answered(callOf(new URL(url).pathname), this.#elapsedMs() - began);
      return { ok, status, headers, text: async () => text };
    };
  }

  /** Counts refusals by their slug. */
  api(under: ApiClient): ApiClient {
    return async (route, sent) => {
      try {
        const answer = await under(route, sent);
        if (!answer.ok) this.refused(problemTypeOf(answer.problem));
        return answer;
      } catch (error) {
        // A call that was given up because its program was stopped shows nothing about Muster.
        if (error instanceof Unreachable && !sent?.signal?.aborted) this.refused('unreachable');
        throw error;
      }
    };
  }

  refused(slug: string): void {
    this.#refused[slug] = (this.#refused[slug] ?? 0) + 1;
    this.#errors.set(slug, (this.#errors.get(slug) ?? 0) + 1);
  }

  /** Ends a second. */
  second(gauges: Gauges): Second {
    const second: Second = {
      ...gauges,
      calls: this.#calls,
      errors: this.#refused,
      clientCalls: latenciesOf(this.#clientCalls),
      nodeCalls: latenciesOf(this.#nodeCalls),
    };
    this.#calls = {};
    this.#refused = {};
    this.#clientCalls.clear();
    this.#nodeCalls.clear();
    return second;
  }

  /** The totals since the beginning. */
  totals(): { calls: Record<string, Latencies>; errors: Record<string, number> } {
    return {
      calls: Object.fromEntries([...this.#all].map(([call, histogram]) => [call, latenciesOf(histogram)])),
      errors: Object.fromEntries(this.#errors),
    };
  }

  #answered(call: string, ms: number): void {
    this.#calls[call] = (this.#calls[call] ?? 0) + 1;
    let all = this.#all.get(call);
    if (!all) {
      all = new Histogram();
      this.#all.set(call, all);
    }
    all.add(ms);
    (isOfClient(call) ? this.#clientCalls : this.#nodeCalls).add(ms);
  }
}

/** An answer with its text. */
async function whole(call: ReturnType<Fetching>) {
  const answer = await call;
  const { ok, status, headers } = answer;
  return { ok, status, headers, text: await answer.text() };
}

/** A call by the last word of its path: knock, status, orphan, join, up, heartbeat, events, desired, systems. */
const callOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const isOfClient = (call: string): boolean => call === 'knock' || call === 'status' || call === 'orphan';

const latenciesOf = (histogram: Histogram): Latencies => ({
  count: histogram.count,
  meanMs: rounded(histogram.meanMs),
  p50Ms: rounded(histogram.quantileMs(0.5)),
  p90Ms: rounded(histogram.quantileMs(0.9)),
  p99Ms: rounded(histogram.quantileMs(0.99)),
  p999Ms: rounded(histogram.quantileMs(0.999)),
  maxMs: rounded(histogram.maxMs),
});

/** Rounds to microseconds, the precision of the measurement. */
const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000;
