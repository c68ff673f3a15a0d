import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';

/*
 * Models say what is promised, not how it is kept: commands in any order run against the real thing, and after each one
 * the laws of the model must hold. To search further than `npm test` does:
 *
 *   MUSTER_MODEL_RUNS=100 npx vitest run test/models/nodes.test.ts       a hundred times as many histories
 *   MUSTER_MODEL_SEED=7 npx vitest run test/models                       other histories
 *
 * A failure prints its seed, its `path` and the `replayPath` of its commands; the three together run that one history
 * again:
 *
 *   MUSTER_MODEL_SEED=7 MUSTER_MODEL_PATH=12:0 MUSTER_MODEL_REPLAY=AbC:D npx vitest run test/models/nodes.test.ts
 */
const { MUSTER_MODEL_RUNS, MUSTER_MODEL_SEED, MUSTER_MODEL_PATH, MUSTER_MODEL_REPLAY } = process.env;
const times = Number(MUSTER_MODEL_RUNS ?? 1);
const seed = Number(MUSTER_MODEL_SEED ?? 20_261);

/** What can happen to a model `M` and the real thing `R`, and how both begin. */
export type Model<M extends object, R> = {
  readonly commands: readonly fc.Arbitrary<fc.AsyncCommand<M, R>>[];
  readonly begin: () => { model: M; real: R } | Promise<{ model: M; real: R }>;
};

/** A command, by the name that a failure shows. `run` carries it out on both and throws when a law is broken. */
export const command = <M extends object, R>(name: string, run: (model: M, real: R) => Promise<void>): fc.AsyncCommand<M, R> => ({
  check: () => true,
  run,
  toString: () => name,
});

/** So many histories, of so many commands at most. */
export type Effort = { readonly numRuns: number; readonly maxCommands?: number };

const histories = <M extends object, R>({ commands, begin }: Model<M, R>, maxCommands: number, replayPath?: string) =>
  fc.asyncProperty(fc.commands([...commands], { maxCommands, size: 'max', ...(replayPath && { replayPath }) }), (history) =>
    fc.asyncModelRun(async () => begin(), history),
  );

/** Throws, with the shortest history found, unless every history keeps all laws. */
export const always = <M extends object, R>(model: Model<M, R>, { numRuns, maxCommands = 60 }: Effort): Promise<void> =>
  fc.assert(histories(model, maxCommands, MUSTER_MODEL_REPLAY), {
    seed,
    numRuns: numRuns * times,
    ...(MUSTER_MODEL_PATH && { path: MUSTER_MODEL_PATH }),
  });

/**
 * Throws unless some history breaks this law, or one of several: a model that finds no planted fault says nothing about
 * the others.
 */
export async function findsFault<M extends object, R>(model: Model<M, R>, law: string | RegExp, numRuns = 400): Promise<void> {
  const { failed, errorInstance } = await fc.check(histories(model, 60), { seed: 20_261, numRuns, endOnFailure: true });
  expect(failed, `no history broke "${law}"`).toBe(true);
  expect(String(errorInstance)).toMatch(law);
}

/** Something that holds after every step. */
export type Law<S> = { readonly law: string; readonly holds: (step: S) => boolean };

/** A law, by the sentence that a failure shows. */
export const law = <S>(sentence: string, holds: (step: S) => boolean): Law<S> => ({ law: sentence, holds });

/** Throws the first law that a step breaks, with the step. */
export function keeps<S>(laws: readonly Law<S>[], step: S): void {
  for (const { law: sentence, holds } of laws) if (!holds(step)) throw new Error(`${sentence}: ${inspect(step, { depth: 6 })}`);
}

/** Throws, naming the law, unless two values say the same. */
export function same(actual: unknown, expected: unknown, sentence: string): void {
  if (!isDeepStrictEqual(actual, expected)) throw new Error(`${sentence}: ${inspect({ actual, expected }, { depth: 6 })}`);
}
