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

/**
 * Which planted bugs are looked for in the tests: the soonest found of each invariant (`one-each`), those of them whose
 * turn it is (`in-turn`), or all of them.
 */
export type PlantedChoice = 'in-turn' | 'one-each' | 'all';

const choices: readonly string[] = ['in-turn', 'one-each', 'all'] satisfies PlantedChoice[];
const isChoice = (text: string): text is PlantedChoice => choices.includes(text);

/** What `MUSTER_PLANTED` says; those whose turn it is where it says nothing. Throws when it is none of the words. */
export function plantedFrom(env: Readonly<Record<string, string | undefined>>): PlantedChoice {
  const text = env['MUSTER_PLANTED'] ?? 'in-turn';
  if (isChoice(text)) return text;
  throw new Error(`MUSTER_PLANTED is ${JSON.stringify(text)}, which is none of ${choices.join(', ')}`);
}

/** In how many turns the tests run what is too long for each time. A night runs all of it. */
export const turns = { planted: 3, regressions: 6 } as const;

/** Whose turn of so many it is on a day, from 1 on: each day that of another. */
export const turnOf = (today: Date, of: number): number => (Math.floor(today.getTime() / 86_400_000) % of) + 1;
