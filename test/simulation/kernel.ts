import { type EpochMs, plusMs } from '../../lib/core/time.ts';
import { mixed, type Random, randomOf } from './random.ts';

/** Something that happens at a moment; cancelled ones are passed over. */
type Due = { readonly at: EpochMs; readonly n: number; readonly label: string; readonly run: () => void; cancelled: boolean };

/**
 * How many steps share a turn of the event loop. Each is an immediate of its own, and Node lets every promise settle
 * between two of them, and says which was rejected with nobody to hear it: one step sees all that follows from the one
 * before, and the turn's system calls are shared.
 */
const stepsPerTurn = 64;

/** When every history begins: noon of some day. */
export const beginning = Date.UTC(2026, 0, 1, 12) as EpochMs;

/**
 * Virtual time. What is to happen waits in a heap by (moment, order); each step takes the first, moves the clock to it,
 * runs it, and lets every promise that follows from it settle. Nothing else moves time, so one seed is one history:
 * `hash` is the same whenever it is run again.
 */
export class Kernel {
  readonly seed: number;
  now: EpochMs = beginning;
  steps = 0;
  /** How much of the time that passed was skipped: nothing happened in it, by design. */
  skippedMs = 0;
  /** A hash over every step so far: its moment, order and label. */
  hash: number;
  /** Hears of each step, for a trace that people read. */
  onStep: ((at: EpochMs, label: string) => void) | undefined;
  readonly #heap: Due[] = [];
  #scheduled = 0;

  constructor(seed: number) {
    this.seed = seed;
    this.hash = mixed(seed, 'trace');
  }

  /** A stream of chance of its own, so that what one part draws does not shift what another does. */
  random = (name: string): Random => randomOf(this.seed, name);

  /** Runs once after so many ms; gives how to cancel that. */
  after = (waitMs: number, label: string, run: () => void): (() => void) => {
    this.#scheduled += 1;
    const due: Due = { at: plusMs(this.now, Math.max(0, Math.round(waitMs))), n: this.#scheduled, label, run, cancelled: false };
    this.#push(due);
    return () => {
      due.cancelled = true;
    };
  };

  /** Resolves after so many ms. */
  wait = (waitMs: number, label: string): Promise<void> => new Promise((resolve) => void this.after(waitMs, label, resolve));

  /**
   * Takes step by step until the clock would pass `end`, which it then stands at, or until `done` says so after a step.
   */
  run(end: EpochMs, done: () => boolean = () => false): Promise<void> {
    return new Promise((resolve, reject) => {
      let waiting = 0;
      let isOver = false;
      let isBegun = false;
      const turn = (): void => {
        waiting -= 1;
        if (isOver) return;
        try {
          isOver = (isBegun && done()) || !this.#step(end);
        } catch (error) {
          isOver = true;
          reject(error);
        }
        isBegun = true;
        if (isOver) resolve();
        else if (waiting <= 0) for (waiting = 0; waiting < stepsPerTurn; waiting++) setImmediate(turn);
      };
      turn();
    });
  }

  /** Takes the next step, unless none is due by `end`: then the clock stands there. */
  #step(end: EpochMs): boolean {
    let first = this.#heap[0];
    for (; first?.cancelled; first = this.#heap[0]) this.#pop();
    if (!first || first.at > end) {
      if (this.now < end) this.now = end;
      return false;
    }
    this.#pop();
    this.now = first.at;
    this.steps += 1;
    this.note(first.label);
    first.run();
    return true;
  }

  /** Puts something into the trace alone. */
  tell(label: () => string): void {
    this.onStep?.(this.now, label());
  }

  /** Puts something that happened into the hash and the trace. */
  note(label: string): void {
    this.hash = mixed(this.hash ^ (this.now | 0), label);
    this.onStep?.(this.now, label);
  }

  #push(due: Due): void {
    const heap = this.#heap;
    let i = heap.push(due) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (isBefore(heap[parent]!, due)) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = due;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let i = 0;
    for (let child = 1; child < heap.length; child = 2 * i + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (isBefore(last, heap[child]!)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
  }
}

const isBefore = (a: Due, b: Due): boolean => a.at < b.at || (a.at === b.at && a.n < b.n);
