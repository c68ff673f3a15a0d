import type { Progress, Result } from './steps.ts';

/** An answer to one call of an order by a query: what became of some, and where the next call goes on. */
export type Part = { readonly results: readonly Result[]; readonly next?: string | undefined; readonly left?: number | undefined };

/**
 * Carries out an order by a query, call by call until there is nothing left; gives how far it is after each. Throws what
 * `send` throws: what was done by then was given.
 */
export async function* throughAll(of: number, send: (cursor: string | undefined) => Promise<Part>): AsyncGenerator<Progress> {
  const results = new Map<string, Result>();
  for (let cursor: string | undefined; ; ) {
    const { results: some, next } = await send(cursor);
    for (const result of some) results.set(result.fp, result);
    yield { results: new Map(results), of };
    if (next === undefined) return;
    cursor = next;
  }
}
