import type { Config } from '../config.ts';
import { configFrom, type GivenConfig } from '../configuration.ts';
import { judged, sameHistory } from '../judged.ts';
import type { Violation } from '../outcome.ts';
import { endsInvariant } from '../pool.ts';
import type { Run } from '../runner.ts';
import type { Bug } from './bug.ts';
import { importWith, notLoaded } from './loader.ts';

/** How a bug was found, or that it was not. */
export type Search = {
  readonly bug: string;
  readonly breaks: string;
  /** The history in which the bug breaks its invariant; undefined when there is none among those tried. */
  readonly found?: { readonly in: GivenConfig; readonly steps: number; readonly what: string };
  /** How often each invariant was violated first in the histories tried. */
  readonly first: Readonly<Record<string, number>>;
  readonly histories: number;
};

/**
 * Runs histories with a bug in the code until one violates the invariant that it breaks and, with the code as it is, violates nothing:
 * first where the bug was found before, then `seedsMax` seeds. Throws when the bug cannot be planted, or no history loads what it changes.
 */
export async function search(bug: Bug, seedsMax: number, holds: (config: Config) => Promise<boolean>): Promise<Search> {
  const { runHistory } = (await importWith(bug, 'test/simulation/run.ts')) as { runHistory: Run };
  const seeds = Array.from({ length: seedsMax }, (_, n): GivenConfig => ({ seed: n + 1 }));
  const first: Record<string, number> = {};
  let histories = 0;
  for (const given of [...(bug.foundIn ? [bug.foundIn] : []), ...seeds]) {
    histories += 1;
    const config = configFrom(given);
    const { violations, steps } = await ending(runHistory, bug, config);
    const missing = notLoaded(bug);
    if (missing.length > 0) throw new Error(`the bug ${bug.name} is not planted: no history loads ${missing.join(', ')}`);
    const name = violations[0]?.invariant;
    if (name !== undefined) first[name] = (first[name] ?? 0) + 1;
    const found = violations.find(({ invariant }) => invariant === bug.breaks);
    if (found && (await holds(config)))
      return { bug: bug.name, breaks: bug.breaks, found: { in: given, steps, what: found.what }, first, histories };
  }
  return { bug: bug.name, breaks: bug.breaks, first, histories };
}

type Ending = { readonly violations: readonly Pick<Violation, 'invariant' | 'what'>[]; readonly steps: number };

/** How a history ends; one that throws has ended too. */
async function ending(run: Run, { breaks }: Bug, config: Config): Promise<Ending> {
  try {
    return await (breaks === sameHistory ? judged(run, config, true) : run(config));
  } catch (error) {
    return { violations: [{ invariant: endsInvariant, what: String(error) }], steps: 0 };
  }
}

/** Whether a history violates nothing with the code as it is; asked again, it remembers. */
export function holdsWith(run: Run): (config: Config) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (config) => {
    const name = JSON.stringify(config);
    const held = known.get(name) ?? run(config).then(({ violations }) => violations.length === 0);
    known.set(name, held);
    return held;
  };
}
