import type { LiveEvent } from './event.ts';

/** How far back the pace of events is known. */
export const paceS = 120;

/**
 * How many events there were in each of the last seconds, by when they happened: what a catch-up brings is not news.
 * It counts all of them, though a page remembers only some.
 */
export class Pace {
  readonly #counts = new Map<number, number>();

  take(events: readonly LiveEvent[]): void {
    for (const { time } of events) {
      const second = Math.floor(Date.parse(time) / 1_000);
      this.#counts.set(second, (this.#counts.get(second) ?? 0) + 1);
    }
    if (this.#counts.size <= paceS * 2) return;
    const newest = [...this.#counts.keys()].sort((a, b) => b - a);
    for (const second of newest.slice(paceS * 2)) this.#counts.delete(second);
  }

  /** Events in the `bars` spans of so many seconds that end with the second of `now` (ms since 1970), in order. */
  bars(now: number, bars: number, secondsEach: number): readonly number[] {
    const end = Math.floor(now / 1_000);
    return Array.from({ length: bars }, (_, bar) => this.#sum(end - (bars - bar) * secondsEach, end - (bars - bar - 1) * secondsEach));
  }

  /** Events a second over the `seconds` that end with the second of `now` (ms since 1970). */
  rate(now: number, seconds: number): number {
    const end = Math.floor(now / 1_000);
    return this.#sum(end - seconds, end) / seconds;
  }

  /** Events after the second `from`, up to and with the second `to`. */
  #sum(from: number, to: number): number {
    let sum = 0;
    for (let second = from + 1; second <= to; second++) sum += this.#counts.get(second) ?? 0;
    return sum;
  }
}
