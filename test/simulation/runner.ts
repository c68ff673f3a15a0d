import type { Config } from './config.ts';
import type { Outcome, RunOptions } from './outcome.ts';

/** Runs one history. */
export type Run = (config: Config, options?: RunOptions) => Promise<Outcome>;

/**
 * What runs histories: of the code as it is, or as it would be with a planted bug. Throws when there is no such bug or
 * it cannot be planted.
 */
export async function load(planted: string | undefined): Promise<Run> {
  if (planted === undefined) return (await import('./run.ts')).runHistory;
  const [{ bugs }, { importWith }] = await Promise.all([import('./planted/bugs.ts'), import('./planted/loader.ts')]);
  const bug = bugs.find(({ name }) => name === planted);
  if (!bug) throw new Error(`there is no planted bug ${planted}: there are ${bugs.map(({ name }) => name).join(', ')}`);
  return ((await importWith(bug, 'test/simulation/run.ts')) as typeof import('./run.ts')).runHistory;
}
