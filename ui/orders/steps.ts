/** What became of a client system, as each of the routes for many answers it. */
export type Result = { readonly fp: string; readonly done: boolean; readonly busy?: true | undefined; readonly because: string };

/** How many client systems one call takes. */
export const stepMax = 200;
/** How often those that were busy are tried again, and how long that waits at first. */
const again = { times: 4, pauseMs: 400 } as const;

/** How far an order to many is: the last result of each that was asked for, and how many of all have one. */
export type Progress = { readonly results: ReadonlyMap<string, Result>; readonly of: number };

/**
 * Carries out an order to many client systems, step by step; gives how far it is after each call. Those that were busy
 * are tried again at the end, a few times. Throws what `send` throws: what was done by then was given.
 */
export async function* inSteps(
  fps: readonly string[],
  send: (fps: readonly string[]) => Promise<readonly Result[]>,
  pause: (ms: number) => Promise<void>,
): AsyncGenerator<Progress> {
  const results = new Map<string, Result>();
  let left = fps;
  for (let round = 0; left.length > 0 && round <= again.times; round++) {
    if (round > 0) await pause(again.pauseMs * 2 ** (round - 1));
    for (let at = 0; at < left.length; at += stepMax) {
      for (const result of await send(left.slice(at, at + stepMax))) results.set(result.fp, result);
      yield { results: new Map(results), of: fps.length };
    }
    left = [...results.values()].filter(({ busy }) => busy === true).map(({ fp }) => fp);
  }
}

/**
 * Results that are alike: whether they were done, why, if that is the same for all of them, and how many they are.
 * `results` are empty where only their number is known any more.
 */
export type Outcome = {
  readonly done: boolean;
  readonly because: string | undefined;
  readonly n: number;
  readonly results: readonly Result[];
};

/**
 * The results by what became of them: what was not done comes first, by its reasons, as a person has to know of it.
 * What was done is together, however many reasons it has: each names the tags that a client system has now.
 */
export function outcomesOf(results: Iterable<Result>): readonly Outcome[] {
  const all = [...results];
  const [done, not] = [all.filter((result) => result.done), all.filter((result) => !result.done)];
  const [first] = done;
  const refused = [...Map.groupBy(not, ({ because }) => because)]
    .map(([because, some]): Outcome => ({ done: false, because, n: some.length, results: some }))
    .sort((a, b) => b.n - a.n);
  if (first === undefined) return refused;
  const because = done.every((one) => one.because === first.because) ? first.because : undefined;
  return [...refused, { done: true, because, n: done.length, results: done }];
}
