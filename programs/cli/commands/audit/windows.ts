import { dayMs } from '../../../../lib/core/time.ts';

/** Some days of the audit, both included, in UTC; without `to` until now, as Muster has it. */
export type Days = { readonly from: string; readonly to?: string };

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/**
 * These days from the last to the first, in windows of one day, two, four and so on. A search for the newest entries
 * then reads few days of a busy audit, and makes few calls for a quiet one. The default is the last seven days, and the
 * newest window then has no end: the clock here may be slow.
 */
export function windowsBack({ from, to }: { from?: string | undefined; to?: string | undefined }, now: number): Days[] {
  const first = Date.parse(from ?? dayOf(now - 6 * dayMs));
  const windows: Days[] = [];
  let last = Date.parse(to ?? dayOf(now));
  for (let days = 1; last >= first; days *= 2) {
    const begin = Math.max(first, last - (days - 1) * dayMs);
    const isOpen = to === undefined && windows.length === 0;
    windows.push({ from: dayOf(begin), ...(!isOpen && { to: dayOf(last) }) });
    last = begin - dayMs;
  }
  return windows;
}
