import { dayMs, hourMs, minuteMs, secondMs } from '../../lib/core/time.ts';

const units = { s: secondMs, min: minuteMs, h: hourMs, days: dayMs } as const;

/** Milliseconds of `38 s`, `10 min`, `2 h` or `3 days`. Throws for anything else. */
export function fromDuration(text: string): number {
  const [, count, unit] = /^(\d+) (s|min|h|days)$/.exec(text) ?? [];
  if (!unit) throw new Error(`no duration: ${text}`);
  return Number(count) * units[unit as keyof typeof units];
}
