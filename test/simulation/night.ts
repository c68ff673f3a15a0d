import { dayMs } from '../../lib/core/time.ts';
import type { SeedRange } from './command-line.ts';

/** How many seeds a day has: more than a night can run, and few enough for every day until 2087. */
const seedsADay = 100_000;

/**
 * The seeds of a day such as 2026-11-23: those of no other day, and far above those that tests and CI run, which begin
 * at 1.
 */
export function seedsOfDay(day: string): SeedRange {
  const from = (Date.parse(`${day}T00:00:00Z`) / dayMs) * seedsADay;
  return { from, to: from + seedsADay - 1 };
}
