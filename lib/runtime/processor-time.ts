import { Refusal } from '../api/problem.ts';
import { type EpochMs, secondMs } from '../core/time.ts';
import { isCounted } from './limit-callers.ts';
import type { Rate } from './rates.ts';
import { cached, type Shell } from './shell.ts';
import type { Caller } from './verify.ts';

/**
 * What a caller has left, in ms of processor time, as of a moment; less than nothing after work that took longer than
 * it had.
 */
type Left = { readonly ms: number; readonly at: EpochMs };

/** How many callers an environment remembers; who called longest ago is forgotten first. */
const callersMax = 10_000;

/** What each caller has used, and the work of each that is under way. */
class Spent {
  readonly #left = new Map<string, Left>();
  readonly #last = new Map<string, Promise<unknown>>();

  /** How many ms there are left for a caller. */
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
 * Does work that costs processor time for a caller, one piece of each caller after another, so that nobody's work
 * stands before all of another's. Each environment counts what a caller has used. Throws a {@link Refusal} when that is
 * more than its share.
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
  new Refusal('rate-limited', `what this caller asks to be checked takes more than ${rate.perSecond} ms of processor time a second`, {
    headers: { 'retry-after': String(Math.floor(-left / rate.perSecond) + 1) },
  });
