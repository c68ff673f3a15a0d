import { Worker } from 'node:worker_threads';
import type { Check, Verdict } from '../../core/check.ts';
import { Later } from '../../core/errors.ts';
import type { Checked, Checks } from './checks.ts';

/** The most processor time that one check may take, in ms. Most take less than one. */
export const checkMsMax = 500;
/** How often the thread's time is read, in ms. */
const pollEveryMs = 50;
/** The most checks that may wait for the thread; each caller has one at most (lib/runtime/processor-time.ts). */
const waitingMax = 1_000;
/** The most memory that the thread may take, in MiB: a schema or a document is 64 KiB at most. */
const memoryMib = 128;

/** How checks run on a thread of their own. */
export type WorkerOptions = {
  /** The program of the thread. */
  readonly program?: URL;
  /** How much processor time a check may take. */
  readonly limitMs?: number;
  /** How long a check may take by the clock, before it is given up on a machine that is too busy for it. */
  readonly waitMs?: number;
};

/**
 * Checks on a thread of their own, one after another, each within its limit. A check that runs out of time ends with
 * its thread, and the next check has a new thread.
 */
export function workerChecks({ program = ownProgram, limitMs = checkMsMax, waitMs = 20_000 }: WorkerOptions = {}): Checks {
  let thread: Thread | undefined;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const one = async (asked: Check): Promise<Checked> => {
    thread = thread?.isOver === false ? thread : new Thread(program);
    return thread.check(asked, { limitMs, waitMs });
  };
  const check = async (asked: Check): Promise<Checked> => {
    if (waiting >= waitingMax) throw new Later('checks.busy', `${waiting} checks of schemas are waiting already: try again later`);
    waiting += 1;
    const turn = last.then(() => one(asked));
    last = turn.then(
      () => (waiting -= 1),
      () => (waiting -= 1),
    );
    return turn;
  };
  return { check };
}

/** The program of the thread where nothing is bundled. */
const ownProgram = new URL('./thread.ts', import.meta.url);

/** The checking thread. It does not keep the program from ending. */
class Thread {
  isOver = false;
  readonly #worker: Worker;
  readonly #ready: Promise<unknown>;
  /** The function that waits for a verdict, if any. */
  #heard: (outcome: Verdict | 'ready' | Error) => void = () => undefined;

  constructor(program: URL) {
    this.#worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: memoryMib } });
    this.#worker.unref();
    this.#ready = new Promise((resolve) => {
      this.#heard = resolve;
    });
    const over = (because: Error): void => {
      this.isOver = true;
      this.#heard(because);
    };
    this.#worker.on('message', (outcome: Verdict | 'ready') => this.#heard(outcome));
    this.#worker.on('error', over);
    this.#worker.on('exit', () => over(new Error('the thread that checks schemas has ended')));
  }

  async check(asked: Check, { limitMs, waitMs }: { readonly limitMs: number; readonly waitMs: number }): Promise<Checked> {
    const ready = await this.#ready;
    if (ready instanceof Error) throw ready;
    const before = await this.#usedMs();
    const verdict = await this.#verdict(asked, { until: before + limitMs, limitMs, waitMs });
    if (verdict.is !== 'late') return { verdict, tookMs: (await this.#usedMs()) - before };
    await this.#end();
    return { verdict, tookMs: limitMs };
  }

  #verdict(asked: Check, { until, limitMs, waitMs }: { until: number; limitMs: number; waitMs: number }): Promise<Verdict> {
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const poll = async (): Promise<void> => {
        if ((await this.#usedMs()) >= until) return this.#heard(late(`it takes longer than ${limitMs} ms`));
        if (performance.now() - since < waitMs) return;
        this.#heard(new Later('checks.busy', 'a check of a schema got too little processor time: the machine is busy'));
        await this.#end();
      };
      const polling = setInterval(() => void poll().catch((error: Error) => this.#heard(error)), pollEveryMs);
      this.#heard = (outcome) => {
        clearInterval(polling);
        this.#heard = () => undefined;
        if (outcome === 'ready') reject(new Error('the thread that checks schemas restarted'));
        else if (!(outcome instanceof Error)) resolve(outcome);
        else if (isOutOfMemory(outcome)) resolve(late(`it takes more than ${memoryMib} MiB of memory`));
        else reject(outcome);
      };
      this.#worker.postMessage(asked);
    });
  }

  async #end(): Promise<void> {
    this.isOver = true;
    await this.#worker.terminate();
  }

  /** The processor time that the thread has used, in ms. */
  async #usedMs(): Promise<number> {
    const { user, system } = await this.#worker.cpuUsage();
    return (user + system) / 1_000;
  }
}

const late = (because: string): Verdict => ({ is: 'late', because: `${because}: a reference or a keyword of its schema costs too much` });
const isOutOfMemory = (error: Error): boolean => (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
