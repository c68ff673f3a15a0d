import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from './config.ts';
import type { Outcome } from './outcome.ts';
import { load } from './runner.ts';

/** What a worker is made with: the planted bug that its code is to have. */
export type WorkerIs = { readonly planted: string | undefined };
/** What a worker answers: how the history went, or what was thrown. */
export type Reply = { readonly outcome: Outcome } | { readonly threw: string };

/*
 * A thread that runs histories, one at a time: a configuration comes in, its outcome goes out. Threads, because a
 * history is nothing but computing, and the program that counts them must be able to say how far they are.
 */
// Refusals and transient failures are thrown by the thousand, and nobody reads where: whoever traces a history sees
// that of what was thrown by mistake.
Error.stackTraceLimit = 0;
const run = await load((workerData as WorkerIs).planted);
parentPort!.on('message', (config: Config) => {
  run(config).then(
    (outcome) => parentPort!.postMessage({ outcome } satisfies Reply),
    (error: unknown) =>
      parentPort!.postMessage({ threw: error instanceof Error ? (error.stack ?? error.message) : String(error) } satisfies Reply),
  );
});
