import { useSyncExternalStore } from 'react';

/** The time, the same for all that shows an age: one timer for the page, and none while nobody looks. */
class Clock {
  #now = Date.now();
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.#tick(), 1_000);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  };

  now = (): number => this.#now;

  #tick(): void {
    this.#now = Date.now();
    for (const listener of this.#listeners) listener();
  }
}

const clock = new Clock();

/** The time in ms since 1970, as of this second. */
export const useNow = (): number => useSyncExternalStore(clock.subscribe, clock.now);

/** How long something took or lasts, in its largest unit: `41 s`, `12 min`, `3 h`, `9 d`. */
export function spanText(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1_000));
  if (s < 90) return `${s} s`;
  if (s < 5_400) return `${Math.round(s / 60)} min`;
  if (s < 172_800) return `${Math.round(s / 3_600)} h`;
  return `${Math.round(s / 86_400)} d`;
}

/** A moment as reasons write it: in UTC, to the second or finer. */
const written = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A text in parts, at every odd place a moment that it names. What looks like one, and is none, is text. */
export function atMoments(text: string): readonly string[] {
  const parts: string[] = [''];
  for (const [n, part] of text.split(written).entries())
    if (n % 2 === 1 && isMoment(part)) parts.push(part, '');
    else parts[parts.length - 1] += part;
  return parts;
}

/** There is no 31 February, and no hour 24. */
function isMoment(text: string): boolean {
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 19) === text.slice(0, 19);
}

const times = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const moments = new Intl.DateTimeFormat('en-GB', { dateStyle: 'short', timeStyle: 'medium' });

/**
 * A moment by the clock of whoever reads it: the time of day, and the date before it unless that is the day of `now`
 * (ms).
 */
export function clockText(at: string, now: number): string {
  const moment = new Date(at);
  return moment.toDateString() === new Date(now).toDateString() ? times.format(moment) : momentText(at);
}

/** A moment by the clock of whoever reads it, with its date. */
export const momentText = (at: string): string => moments.format(new Date(at));
