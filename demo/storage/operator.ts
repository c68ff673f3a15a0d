import type { Cast } from './cast.ts';

/** Runs a command of the operator that must succeed; gives what it printed. Throws what it complained of. */
export async function done(cast: Cast, ...words: readonly string[]): Promise<string> {
  const { code, out, err } = await cast.muster(...words);
  if (code !== 0) throw new Error(`muster ${words.join(' ')} ended with ${code}:\n${err}${out}`);
  return out;
}

/** Runs a command of `muster-agent` on a host that must succeed. Throws what it complained of. */
export async function doneOn(cast: Cast, host: string, ...words: readonly string[]): Promise<void> {
  const { code, out, err } = await cast.musterAgent(host, ...words);
  if (code !== 0) throw new Error(`muster-agent ${words.join(' ')} on ${host} ended with ${code}:\n${err}${out}`);
}
