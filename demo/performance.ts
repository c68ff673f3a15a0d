import { progress } from './watching.ts';

/**
 * Gives a play that ends when it is interrupted, whatever it is doing, and leaves with its exit code: 130 then, 1 when something is not as it
 * should be, which is said.
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
