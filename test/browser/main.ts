import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { step } from '../../tools/check-deploy/progress.ts';
import { Unavailable } from '../../tools/check-deploy/python.ts';
import { launch, missingText, programOf } from './browser.ts';
import { aCluster } from './cluster.ts';
import type { Scenario } from './scenario.ts';
import { busy } from './scenarios/busy.ts';
import { callers } from './scenarios/callers.ts';
import { dialogs } from './scenarios/dialogs.ts';
import { looks } from './scenarios/looks.ts';
import { many } from './scenarios/many.ts';
import { nodes } from './scenarios/nodes.ts';
import { others } from './scenarios/others.ts';
import { systems } from './scenarios/systems.ts';
import { tabs } from './scenarios/tabs.ts';

/*
 * `npm run check:ui`: the acceptance scenarios of the page, in a real Chromium and a real Firefox, on a real deployment
 * with real daemons. Words of the command line choose among them, such as `npm run check:ui -- '3 ·'`. With `--whole`,
 * they are as large as the design demands.
 */

const all: readonly Scenario[] = [...looks, ...nodes, ...systems, ...callers, ...busy, ...many, ...tabs, ...dialogs, ...others];

const { values, positionals } = parseArgs({ options: { whole: { type: 'boolean', default: false } }, allowPositionals: true });

// Half of what a program of ours computes until it is ready is its own translation: Node keeps that here, as for tests.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../../node_modules/.cache/compiled');

/** How many are played at once: most of their time is waiting. */
const lanes = 2;

/** Plays one in a browser and a cluster of its own. Throws what it saw instead of what it expected. */
async function staged({ in: name, seed, run }: Scenario): Promise<void> {
  const { whole: isWhole } = values;
  const cluster = await aCluster({ seed: seed && ((home) => seed(home, isWhole)) });
  try {
    const browser = await launch(name);
    await run({ browser, cluster, isWhole }).finally(() => browser.close());
  } finally {
    await cluster.stop();
  }
}

/** Plays scenarios one after another; gives how many failed. */
async function lane(scenarios: Iterable<Scenario>): Promise<number> {
  let failed = 0;
  for (const scenario of scenarios)
    try {
      await step(scenario.name, () => staged(scenario));
    } catch (error) {
      console.log(`        ${error instanceof Error ? error.message.replaceAll('\n', '\n        ') : String(error)}`);
      failed++;
    }
  return failed;
}

/** Plays all, those that measure the page alone and at the end; gives how many failed. */
async function check(scenarios: readonly Scenario[]): Promise<number> {
  // Each lane takes the next one that no lane has taken.
  const left = scenarios.filter(({ isAlone }) => isAlone !== true).values();
  const failed = await Promise.all(Array.from({ length: lanes }, () => lane(left)));
  return failed.reduce((sum, some) => sum + some, 0) + (await lane(scenarios.filter(({ isAlone }) => isAlone)));
}

const isThere = ({ in: name = 'chromium' }: Scenario): boolean => programOf(name) !== undefined;

/** Those that the words name, and whose browsers are there. Throws {@link Unavailable} when there is no Chromium. */
function chosen(words: readonly string[]): readonly Scenario[] {
  const named = all.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const missing = named.filter((scenario) => !isThere(scenario));
  if (missing.some((scenario) => scenario.in !== 'firefox')) throw new Unavailable(missingText('chromium'));
  for (const { name } of missing) console.log(`       -  skip  ${name}: ${missingText('firefox')}`);
  return named.filter(isThere);
}

try {
  const startedAt = performance.now();
  const failed = await check(chosen(positionals));
  const took = `(${((performance.now() - startedAt) / 1_000).toFixed(0)} s)`;
  console.log(failed === 0 ? `\ncheck:ui passed ${took}` : `\ncheck:ui FAILED: ${failed} ${took}`);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof Unavailable)) throw error;
  console.log(`\ncheck:ui SKIPPED: ${error.message}`);
  process.exitCode = process.env['CI'] === 'true' ? 1 : 0;
}
