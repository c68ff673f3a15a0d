import { setTimeout as sleep } from 'node:timers/promises';
import { progress } from './watching.ts';

/**
 * Gives a play that ends when it is interrupted, whatever it is doing, and leaves with its exit code: 130 then, 1 when
 * something is not as it should be, which is said.
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

/** How long it may take until it is known that somebody has ended, in ms. */
const newsMs = 200;

/**
 * Throws this error with who of the cast has ended, if somebody has: whoever calls them then knows of no answer, and
 * nothing of why.
 */
export async function explained({ casualty }: { casualty(): string | undefined }, error: Error): Promise<never> {
  await sleep(newsMs);
  const ended = casualty();
  throw ended === undefined ? error : new Error(`${error.message}\n${ended}`);
}
