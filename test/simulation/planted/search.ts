import { type Config, configOf } from '../config.ts';
import { judged, sameHistory } from '../judged.ts';
import type { Violation } from '../outcome.ts';
import { endsInvariant } from '../pool.ts';
import type { Run } from '../runner.ts';
import type { Bug } from './bug.ts';
import { importWith, notLoaded } from './loader.ts';
import { worlds } from './worlds.ts';

/** How a bug was found, or that it was not. */
export type Search = {
  readonly bug: string;
  readonly breaks: string;
  /** The history in which the bug breaks its invariant; undefined when there is none among those tried. */
  readonly found?: { readonly in: Config; readonly steps: number; readonly what: string };
  /** How often each invariant was violated first in the histories tried. */
  readonly first: Readonly<Record<string, number>>;
  readonly histories: number;
};

/**
 * Runs histories with a bug in the code until one violates the invariant that it breaks and, with the code as it is,
 * violates nothing: first where the bug was found before, then other seeds of that world, then `seedsMax` seeds. Throws
 * when the bug cannot be planted, or no history loads what it changes.
 */
export async function search(bug: Bug, seedsMax: number, holds: Holds): Promise<Search> {
  const { runHistory } = (await importWith(bug, 'test/simulation/run.ts')) as { runHistory: Run };
  const first: Record<string, number> = {};
  let histories = 0;
  for (const config of candidates(bug, seedsMax)) {
    histories += 1;
    const { violations, steps } = await ending(runHistory, bug, config);
    const missing = notLoaded(bug);
    if (missing.length > 0) throw new Error(`the bug ${bug.name} is not planted: no history loads ${missing.join(', ')}`);
    const name = violations[0]?.invariant;
    if (name !== undefined) first[name] = (first[name] ?? 0) + 1;
    const found = violations.find(({ invariant }) => invariant === bug.breaks);
    if (found && (await holds(config, asksWhole.has(bug.breaks) ? undefined : found.atMs)))
      return { bug: bug.name, breaks: bug.breaks, found: { in: config, steps, what: found.what }, first, histories };
  }
  return { bug: bug.name, breaks: bug.breaks, first, histories };
}

/** Invariants of whole histories: until somewhere in the middle they say nothing. */
const asksWhole = new Set([sameHistory, 'replay-changes-nothing', 'the-audit-verifies']);

/** How many seeds of its world are tried for a bug that is not found where it was. */
const seedsOfWorld = 12;

function candidates({ foundIn }: Bug, seedsMax: number): Config[] {
  const seeds = Array.from({ length: seedsMax }, (_, n) => configOf(n + 1));
  if (!foundIn) return seeds;
  const { world, seed } = foundIn;
  const others = Array.from({ length: seedsOfWorld }, (_, n) => n + 1).filter((one) => one !== seed);
  return [...[seed, ...others].map((one): Config => ({ seed: one, ...worlds[world] })), ...seeds];
}

type Ending = {
  readonly violations: readonly (Pick<Violation, 'invariant' | 'what'> & { readonly atMs?: number })[];
  readonly steps: number;
};

/** How a history ends; one that throws has ended too. */
async function ending(run: Run, { breaks }: Bug, config: Config): Promise<Ending> {
  try {
    return await (breaks === sameHistory ? judged(run, config, true) : run(config));
  } catch (error) {
    return { violations: [{ invariant: endsInvariant, what: String(error) }], steps: 0 };
  }
}

/**
 * Whether a history violates nothing with the code as it is, up to a moment in ms since its beginning or to its end.
 */
export type Holds = (config: Config, untilMs?: number) => Promise<boolean>;

/**
 * Asks that of the code as it is. What comes after the moment at which a bug was found shows nothing about the bug, and
 * most of a history does; so it is run that far when it is asked for the first time, and to its end when it is asked
 * for more. It remembers.
 */
export function holdsWith(run: Run): Holds {
  const known = new Map<string, { readonly untilMs: number; readonly held: Promise<boolean> }>();
  return (config, untilMs = Number.POSITIVE_INFINITY) => {
    const name = JSON.stringify(config);
    const before = known.get(name);
    if (before && before.untilMs >= untilMs) return before.held;
    const upTo = before ? Number.POSITIVE_INFINITY : untilMs;
    const held = run(config, { untilMs: upTo }).then(({ violations }) => violations.length === 0);
    known.set(name, { untilMs: upTo, held });
    return held;
  };
}
