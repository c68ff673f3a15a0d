import type { SeedRange } from './command-line.ts';

/** How long histories are simulated in the tests, in s, unless `MUSTER_SIMULATE_S` says otherwise. */
export const secondsDefault = 60;

/**
 * How long histories are to be simulated in the tests, in s. Throws when the environment says what is no number of
 * seconds.
 */
export function secondsFrom(env: Readonly<Record<string, string | undefined>>): number {
  const text = env['MUSTER_SIMULATE_S'];
  if (text === undefined || text === '') return secondsDefault;
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw new Error(`MUSTER_SIMULATE_S is ${JSON.stringify(text)}, which is no whole number of seconds from 1 to 99999`);
  return Number(text);
}

/** The seeds of a range, one after another, as long as there is time: none begins after `forMs`. `now` is in ms. */
export function* seedsWithin({ from, to }: SeedRange, forMs: number, now: () => number): Generator<number> {
  const endsAt = now() + forMs;
  for (let seed = from; seed <= to && now() < endsAt; seed++) yield seed;
}

/** Which planted bugs are looked for in the tests: `one-each`, the soonest found of each invariant, or all of them. */
export type PlantedChoice = 'one-each' | 'all';

/** What `MUSTER_PLANTED` says; one of each where it says nothing. Throws when it is neither word. */
export function plantedFrom(env: Readonly<Record<string, string | undefined>>): PlantedChoice {
  const text = env['MUSTER_PLANTED'] ?? 'one-each';
  if (text === 'one-each' || text === 'all') return text;
  throw new Error(`MUSTER_PLANTED is ${JSON.stringify(text)}, which is neither one-each nor all`);
}
