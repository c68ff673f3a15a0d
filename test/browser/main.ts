import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { step } from '../../tools/check-deploy/progress.ts';
import { Unavailable } from '../../tools/check-deploy/python.ts';
import { launch, missingText, programOf } from './browser.ts';
import { aCluster, type Cluster } from './cluster.ts';
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

/** A browser and a cluster for one scenario. */
type Prepared = { readonly browser: Browser; readonly cluster: Cluster };

const isThere = ({ in: name = 'chromium' }: Scenario): boolean => programOf(name) !== undefined;

async function prepared({ in: name, seed }: Scenario): Promise<Prepared> {
  const cluster = await aCluster({ seed: seed && ((home) => seed(home, values.whole)) });
  return { cluster, browser: await launch(name) };
}

async function end({ browser, cluster }: Prepared): Promise<void> {
  await Promise.all([browser.close(), cluster.stop()]);
}

/** Plays one; gives whether all was as expected. */
async function play({ name, run }: Scenario, at: Prepared): Promise<boolean> {
  try {
    await step(name, () => run({ ...at, isWhole: values.whole }));
    return true;
  } catch (error) {
    console.log(`        ${error instanceof Error ? error.message.replaceAll('\n', '\n        ') : String(error)}`);
    return false;
  }
}

/**
 * Plays all, each in a browser and a cluster of its own, which are prepared while the one before is played: half of the
 * time would be spent on that. What is seeded is not prepared before its turn, as that keeps this process busy. Gives
 * how many failed.
 */
async function check(scenarios: readonly Scenario[]): Promise<number> {
  const ending: Promise<void>[] = [];
  let failed = 0;
  let ahead: Promise<Prepared> | undefined;
  for (const [n, scenario] of scenarios.entries()) {
    const at = await (ahead ?? prepared(scenario));
    const next = scenarios[n + 1];
    ahead = next && !next.seed ? prepared(next) : undefined;
    // It is awaited in its turn, and its error thrown there.
    ahead?.catch(() => undefined);
    if (!(await play(scenario, at))) failed++;
    ending.push(end(at));
  }
  await Promise.all(ending);
  return failed;
}

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
