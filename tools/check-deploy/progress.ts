import { setTimeout as sleep } from 'node:timers/promises';

/** A step that failed: the expected and the actual result. */
export class NotAsExpected extends Error {
  override readonly name = 'NotAsExpected';
  constructor(expected: string, seen: unknown, options?: ErrorOptions) {
    super(`expected ${expected}\n  seen     ${typeof seen === 'string' ? seen : JSON.stringify(seen)}`, options);
  }
}

/** Throws {@link NotAsExpected} unless the condition holds. */
export function expected(what: string, holds: boolean, seen: unknown): asserts holds {
  if (!holds) throw new NotAsExpected(what, seen);
}

/**
 * Does one step and prints a line for it with its time. Returns its result, and throws its error with the step's name.
 */
export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const took = () => `${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s`;
  try {
    const result = await work();
    console.log(`${took()}  ok    ${name}`);
    return result;
  } catch (error) {
    console.log(`${took()}  FAIL  ${name}`);
    throw error;
  }
}

/**
 * Asks again every quarter of a second until there is an answer; throws with the last reading when `withinMs` have
 * passed.
 */
export async function until<T>(what: string, withinMs: number, probe: () => Promise<{ found: T } | { seen: unknown }>): Promise<T> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    const answer = await probe();
    if ('found' in answer) return answer.found;
    if (performance.now() > endsAt) throw new NotAsExpected(`${what} within ${withinMs / 1000} s`, answer.seen);
    await sleep(250);
  }
}
