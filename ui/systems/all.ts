import { Problem } from '../api/call.ts';
import { inSteps, type Progress, type Result } from '../orders/steps.ts';

/** An answer to one call of an order by a query: what became of some, and where the next call goes on. */
export type Part = { readonly results: readonly Result[]; readonly next?: string | undefined; readonly left?: number | undefined };

/** How an order by a query is sent: its next call by a cursor, and those that were busy again by their fingerprints. */
export type Sending = {
  readonly send: (cursor: string | undefined) => Promise<Part>;
  readonly sendTo: (fps: readonly string[]) => Promise<readonly Result[]>;
  readonly pause: (ms: number) => Promise<void>;
};

/** How often a call without an answer is repeated, and how long that waits at first. */
const again = { times: 3, pauseMs: 1_000 } as const;

/**
 * Carries out an order by a query, call by call until there is nothing left; gives how far it is after each. A call
 * that had no answer is repeated, as it is for the same client systems; those that were busy are tried again at the
 * end. Throws what `send` throws: what was done by then was given.
 */
export async function* throughAll(of: number, { send, sendTo, pause }: Sending): AsyncGenerator<Progress> {
  const results = new Map<string, Result>();
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const { results: some, next } = await patiently(() => send(cursor), pause);
    for (const result of some) results.set(result.fp, result);
    yield { results: new Map(results), of };
    isLast = next === undefined;
    cursor = next;
  }
  const busy = [...results.values()].flatMap((result) => (result.busy === true ? [result.fp] : []));
  for await (const { results: later } of inSteps(busy, sendTo, pause)) yield { results: new Map([...results, ...later]), of };
}

async function patiently(send: () => Promise<Part>, pause: Sending['pause']): Promise<Part> {
  for (let n = 0; ; n++) {
    try {
      return await send();
    } catch (error) {
      if (n === again.times || !isPassing(error)) throw error;
      await pause(again.pauseMs * 2 ** n);
    }
  }
}

/** Whether a call had no answer of its own: none at all, or one that says that the server could not give it. */
const isPassing = (error: unknown): boolean => error instanceof Problem && (error.status === 0 || error.status >= 500);
