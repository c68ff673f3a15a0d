import type { World } from '../../lib/machine/reactor.ts';
import type { Deadline } from '../../lib/uyuni/merge/node-answer.ts';

/** The clock and the timer of the gateway. */
export type Clock = Pick<World, 'now' | 'after'>;

/** Resolves after so many ms; rejects with the reason of `signal` once that aborts. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const ended = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', ended);
      resolve();
    });
    if (signal.aborted) ended();
    else signal.addEventListener('abort', ended, { once: true });
  });
}

/** How long one node may take: only while it is waited for. */
export class NodeDeadline implements Deadline {
  readonly #clock: Clock;
  readonly #over = new AbortController();
  #leftMs: number;
  #since: number;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#leftMs = limitMs;
    this.#since = clock.now();
    this.resume();
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  hold(): void {
    if (!this.#cancel) return;
    this.end();
    this.#leftMs -= this.#clock.now() - this.#since;
  }

  resume(): void {
    if (this.#cancel || this.#over.signal.aborted) return;
    this.#since = this.#clock.now();
    this.#cancel = this.#clock.after(Math.max(0, this.#leftMs), () => this.#over.abort());
  }

  /** Ends the timer: the node has answered, or is not waited for any more. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
