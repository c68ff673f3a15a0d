import { setTimeout as sleep } from 'node:timers/promises';
import { progress } from './watching.ts';

/**
 * Runs a play that ends when it is interrupted, whatever it is doing, and exits with its code: 130 then, and 1 after
 * printing what is not as it should be.
 */
export async function perform(play: (signal: AbortSignal) => Promise<number>): Promise<never> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());
  process.exit(await ended(play, interrupted.signal));
}

async function ended(play: (signal: AbortSignal) => Promise<number>, signal: AbortSignal): Promise<number> {
  try {
    return await play(signal);
  } catch (error) {
    progress('');
    if (signal.aborted) return 130;
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** How long it may take until the end of a process is known, in ms. */
const newsMs = 200;

/**
 * Throws this error, with the process of the cast that has ended, if any: its callers only see that there is no answer,
 * and not the reason.
 */
export async function explained({ casualty }: { casualty(): string | undefined }, error: Error): Promise<never> {
  await sleep(newsMs);
  const ended = casualty();
  throw ended === undefined ? error : new Error(`${error.message}\n${ended}`);
}
