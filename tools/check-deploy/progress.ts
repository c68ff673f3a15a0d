import { setTimeout as sleep } from 'node:timers/promises';

/** A step that did not go as it should: what was expected, and what was seen instead. */
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
 * Does one step and prints a line for it with its time; what it returns is passed on, what it throws is thrown with the
 * step's name.
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
 * Asks again until an answer is there, every quarter of a second; throws what was seen last when `withinMs` have
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
