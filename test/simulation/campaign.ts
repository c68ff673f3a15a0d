import type { Config } from './config.ts';
import { judged, sameHistory, twiceEvery } from './judged.ts';
import type { Outcome, Violation } from './outcome.ts';
import { endsInvariant } from './pool.ts';
import { shrunk } from './shrink.ts';

/** A history that failed, as small as it was made. */
export type Failed = {
  readonly violation: Violation;
  readonly config: Config;
  /** How many histories were tried to make it smaller. */
  readonly tries: number;
  /** Another of this campaign broke the same invariant before, and this one is as its seed drew it. */
  readonly isRepeated: boolean;
};

/** What a campaign is made of. */
export type Campaign = {
  readonly run: (config: Config) => Promise<Outcome>;
  /** How many histories run at once. */
  readonly jobs: number;
  /** Hears of each history that is done. */
  readonly done: (outcome: Outcome) => void;
  /** Hears of one that failed and is made smaller now, which takes minutes. */
  readonly shrinks: (violation: Violation, config: Config) => void;
  /** Hears of each that failed, once it is as small as it goes. */
  readonly failed: (failed: Failed) => void;
  /** No more histories are tried for shrinking once this says so. */
  readonly enough: () => boolean;
};

/**
 * Runs configurations one after another, as many at once as there are jobs; shrinks the first that fails of each
 * invariant.
 */
export async function campaign(configs: Iterable<Config>, { run, jobs, done, shrinks, failed, enough }: Campaign): Promise<void> {
  const next = configs[Symbol.iterator]();
  const known = new Set<string>();
  const one = async (config: Config): Promise<void> => {
    const outcome = await judged(run, config, config.seed % twiceEvery === 0);
    done(outcome);
    const [violation] = outcome.violations;
    if (!violation) return;
    // Of an invariant that a hundred seeds break, one small history says more than a hundred.
    if (known.has(violation.invariant)) return failed({ violation, config, tries: 0, isRepeated: true });
    known.add(violation.invariant);
    shrinks(violation, config);
    failed(await asSmallAsItGoes(run, config, violation, enough));
  };
  const job = async (): Promise<void> => {
    for (let config = next.next(); !config.done; config = next.next()) await one(config.value);
  };
  await Promise.all(Array.from({ length: jobs }, job));
}

/**
 * A candidate counts only when it breaks the same invariant: a smaller history that breaks another one is another
 * story.
 */
async function asSmallAsItGoes(run: Campaign['run'], config: Config, violation: Violation, enough: () => boolean): Promise<Failed> {
  if (violation.invariant === endsInvariant) return { violation, config, tries: 0, isRepeated: false };
  let seen = violation;
  const small = await shrunk(
    config,
    async (candidate) => {
      const outcome = violation.invariant === sameHistory ? await judged(run, candidate, true) : await run(candidate);
      const same = outcome.violations.find(({ invariant }) => invariant === violation.invariant);
      if (same) seen = same;
      return same !== undefined;
    },
    enough,
  );
  return { violation: seen, ...small, isRepeated: false };
}
