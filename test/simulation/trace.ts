import type { Config } from './config.ts';
import type { Outcome } from './outcome.ts';
import { failure, moment } from './report.ts';
import type { Run } from './runner.ts';

/**
 * Runs a history and writes its last `tail` steps, each with the moment since the beginning; a violation ends it. Gives
 * the outcome.
 */
export async function traced(run: Run, config: Config, tail: number, write: (text: string) => void): Promise<Outcome> {
  const last: string[] = [];
  const outcome = await run(config, {
    onStep: (atMs, label) => {
      // Ends of waits have no label: there is nothing to read in them.
      if (label === '') return;
      last.push(`${moment(atMs)}  ${label}\n`);
      if (last.length >= 2 * tail + 1000) last.splice(0, last.length - tail);
    },
  });
  for (const line of tail === 0 ? [] : last.slice(-tail)) write(line);
  // One step may break several.
  for (const violation of outcome.violations) write(`\n${failure(violation, config)}`);
  if (outcome.violations.length === 0) write(`\nevery invariant held: ${outcome.steps} steps, hash ${outcome.hash}\n`);
  return outcome;
}
