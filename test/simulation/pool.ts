import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Config, type FaultKind, faultNames } from './config.ts';
import type { Reply, WorkerIs } from './history-worker.ts';
import type { Outcome } from './outcome.ts';

/** The invariant that a history broke which threw, or did not end: such a one has no hash and no steps. */
export const endsInvariant = 'every-history-ends';

/**
 * How long one history may take, in ms of real time, before it counts as one that will never end; the slowest take
 * seconds.
 */
const stuckMs = 300_000;

type Waiting = { readonly config: Config; readonly resolve: (outcome: Outcome) => void };

/** Threads that run histories, each one at a time; whatever more is asked for waits its turn. */
export class Pool {
  readonly #workers = new Map<Worker, Waiting | undefined>();
  readonly #waiting: Waiting[] = [];
  readonly #is: WorkerIs;

  constructor(jobs: number, is: WorkerIs) {
    this.#is = is;
    for (let n = 0; n < jobs; n++) this.#begin();
  }

  /** How many histories can run at once. */
  get size(): number {
    return this.#workers.size;
  }

  /** Runs a history; one that throws or does not end is an outcome too. */
  run = (config: Config): Promise<Outcome> =>
    new Promise((resolve) => {
      this.#waiting.push({ config, resolve });
      this.#hand();
    });

  /** Ends every thread, whatever it is doing. */
  async end(): Promise<void> {
    this.#waiting.length = 0;
    const workers = [...this.#workers.keys()];
    this.#workers.clear();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #begin(): void {
    const worker = new Worker(join(import.meta.dirname, 'history-worker.ts'), { workerData: this.#is });
    this.#workers.set(worker, undefined);
    worker.on('message', (reply: Reply) => this.#answer(worker, reply));
    // What nobody caught ends a thread: its history is told so, and another thread takes its place.
    worker.on('error', (error) => this.#replace(worker, error instanceof Error ? (error.stack ?? error.message) : String(error)));
  }

  #hand(): void {
    for (const [worker, busy] of this.#workers) {
      if (busy) continue;
      const next = this.#waiting.shift();
      if (!next) return;
      const guard = setTimeout(() => this.#replace(worker, `it was not done after ${stuckMs / 1000} s`), stuckMs);
      this.#workers.set(worker, {
        ...next,
        resolve: (outcome) => {
          clearTimeout(guard);
          next.resolve(outcome);
        },
      });
      worker.postMessage(next.config);
    }
  }

  #answer(worker: Worker, reply: Reply): void {
    const busy = this.#workers.get(worker);
    if (!busy) return;
    this.#workers.set(worker, undefined);
    busy.resolve('outcome' in reply ? reply.outcome : thrown(busy.config, reply.threw));
    this.#hand();
  }

  #replace(worker: Worker, why: string): void {
    if (!this.#workers.has(worker)) return;
    const busy = this.#workers.get(worker);
    this.#workers.delete(worker);
    void worker.terminate();
    if (!busy) throw new Error(`no history can be run: ${why}`);
    this.#begin();
    busy.resolve(thrown(busy.config, why));
    this.#hand();
  }
}

const thrown = (config: Config, what: string): Outcome => ({
  config,
  violations: [{ invariant: endsInvariant, what, atMs: 0, step: 0 }],
  hash: '',
  steps: 0,
  virtualMs: 0,
  fired: Object.fromEntries(faultNames.map((kind) => [kind, 0])) as Record<FaultKind, number>,
});
