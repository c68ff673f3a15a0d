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

/** Results that are alike: whether they were done, why, and of which client systems. */
export type Outcome = { readonly done: boolean; readonly because: string; readonly fps: readonly string[] };

/** The results by what became of them: what was not done first, as a person has to know of it, then the most. */
export function outcomesOf(results: Iterable<Result>): readonly Outcome[] {
  const by = new Map<string, { done: boolean; because: string; fps: string[] }>();
  for (const { fp, done, because } of results) {
    const key = `${done} ${because}`;
    const outcome = by.get(key) ?? { done, because, fps: [] };
    outcome.fps.push(fp);
    by.set(key, outcome);
  }
  return [...by.values()].sort((a, b) => Number(a.done) - Number(b.done) || b.fps.length - a.fps.length);
}
