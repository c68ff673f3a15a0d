import { Refusal } from '../api/problem.ts';
import type { Rate } from '../core/rate.ts';
import { type EpochMs, secondMs } from '../core/time.ts';
import { isCounted } from './limit-callers.ts';
import { cached, type Shell } from './shell.ts';
import type { Caller } from './verify.ts';

/**
 * The remaining processor time of a caller, in ms, as of a moment; negative after work that took longer than it had.
 */
type Left = { readonly ms: number; readonly at: EpochMs };

/** How many callers an environment remembers; it forgets the one that called longest ago first. */
const callersMax = 10_000;

/** The used time of each caller, and the work of each that is under way. */
class Spent {
  readonly #left = new Map<string, Left>();
  readonly #last = new Map<string, Promise<unknown>>();

  /** The remaining ms of a caller. */
  left(caller: string, rate: Rate, now: EpochMs): number {
    const { ms, at } = this.#left.get(caller) ?? { ms: rate.burst, at: now };
    return Math.min(rate.burst, ms + (Math.max(0, now - at) * rate.perSecond) / secondMs);
  }

  spend(caller: string, ms: number, { rate, now }: { readonly rate: Rate; readonly now: EpochMs }): void {
    const left = this.left(caller, rate, now) - ms;
    this.#left.delete(caller);
    this.#left.set(caller, { ms: left, at: now });
    if (this.#left.size > callersMax) this.#left.delete(this.#left.keys().next().value!);
  }

  /** Does the work once all earlier work of the same caller has ended. */
  async next<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(caller) ?? Promise.resolve()).then(work);
    const ended = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(caller, ended);
    try {
      return await mine;
    } finally {
      if (this.#last.get(caller) === ended) this.#last.delete(caller);
    }
  }
}

/**
 * Does work that costs processor time for a caller, one piece of each caller after another, so that no caller's work
 * blocks another's. Each environment counts the time that a caller has used. Throws a {@link Refusal} when that is more
 * than its share.
 */
export function withinProcessorTime<T extends { readonly tookMs: number }>(
  shell: Shell,
  caller: Pick<Caller, 'who' | 'actor'>,
  work: () => Promise<T>,
): Promise<T> {
  const called = caller.actor?.key ?? caller.actor?.who ?? caller.who;
  const spent = cached(shell, 'processor time', () => new Spent());
  const rate = isCounted(caller) ? shell.settings.rates?.checks : undefined;
  return spent.next(called, async () => {
    if (!rate) return work();
    const left = spent.left(called, rate, shell.now());
    if (left <= 0) throw tooMuch(rate, left);
    const done = await work();
    spent.spend(called, done.tookMs, { rate, now: shell.now() });
    return done;
  });
}

const tooMuch = (rate: Rate, left: number): Refusal =>
  new Refusal(
    'rate-limited',
    `the checks of this caller take more than ${rate.perSecond} ms of processor time a second: wait, then call again`,
    {
      headers: { 'retry-after': String(Math.floor(-left / rate.perSecond) + 1) },
    },
  );
