import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { step } from '../../tools/check-deploy/progress.ts';
import { Unavailable } from '../../tools/check-deploy/python.ts';
import { launch } from './browser.ts';
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

/** Plays one in a browser and a cluster of its own; gives whether all was as expected. */
async function play({ name, seed, run }: Scenario, browser: Browser): Promise<boolean> {
  const cluster = await aCluster({ seed: seed && ((home) => seed(home, values.whole)) });
  try {
    await step(name, () => run({ browser, cluster, isWhole: values.whole }));
    return true;
  } catch (error) {
    console.log(`        ${error instanceof Error ? error.message.replaceAll('\n', '\n        ') : String(error)}`);
    return false;
  } finally {
    await cluster.stop();
  }
}

/** The browser of a scenario; undefined, and a line that says so, where there is another one but not this. */
async function browserOf({ in: name = 'chromium', name: what }: Scenario): Promise<Browser | undefined> {
  try {
    return await launch(name);
  } catch (error) {
    if (!(error instanceof Unavailable) || name === 'chromium') throw error;
    console.log(`       -  skip  ${what}: ${error.message}`);
    return undefined;
  }
}

/** Plays all that the words name; gives how many failed. */
async function check(only: readonly string[]): Promise<number> {
  let failed = 0;
  for (const scenario of all.filter(({ name }) => only.length === 0 || only.some((word) => name.includes(word)))) {
    const browser = await browserOf(scenario);
    if (browser === undefined) continue;
    if (!(await play(scenario, browser))) failed++;
    await browser.close();
  }
  return failed;
}

try {
  const startedAt = performance.now();
  const failed = await check(positionals);
  const took = `(${((performance.now() - startedAt) / 1_000).toFixed(0)} s)`;
  console.log(failed === 0 ? `\ncheck:ui passed ${took}` : `\ncheck:ui FAILED: ${failed} ${took}`);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof Unavailable)) throw error;
  console.log(`\ncheck:ui SKIPPED: ${error.message}`);
  process.exitCode = process.env['CI'] === 'true' ? 1 : 0;
}
