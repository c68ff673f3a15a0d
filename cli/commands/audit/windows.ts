import { dayMs } from '../../../lib/units.ts';

/** Some days of the audit, both included, in UTC. */
export type Days = { readonly from: string; readonly to: string };

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/**
 * These days from the last to the first, in windows of one day, two, four and so on: whoever wants the newest entries reads few days where
 * much is done, and makes few calls where little is. The last seven days unless told.
 */
export function windowsBack({ from, to }: { from?: string | undefined; to?: string | undefined }, now: number): Days[] {
  const first = Date.parse(from ?? dayOf(now - 6 * dayMs));
  const windows: Days[] = [];
  let last = Date.parse(to ?? dayOf(now));
  for (let days = 1; last >= first; days *= 2) {
    const begin = Math.max(first, last - (days - 1) * dayMs);
    windows.push({ from: dayOf(begin), to: dayOf(last) });
    last = begin - dayMs;
  }
  return windows;
}
