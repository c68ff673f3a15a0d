import { step } from '../../tools/check-deploy/progress.ts';
import { Unavailable } from '../../tools/check-deploy/python.ts';
import { launch } from './chromium.ts';
import { aCluster } from './cluster.ts';
import type { Scenario } from './scenario.ts';
import { busy } from './scenarios/busy.ts';
import { callers } from './scenarios/callers.ts';
import { dialogs } from './scenarios/dialogs.ts';
import { looks } from './scenarios/looks.ts';
import { nodes } from './scenarios/nodes.ts';
import { systems } from './scenarios/systems.ts';
import { tabs } from './scenarios/tabs.ts';

/*
 * `npm run check:ui`: the acceptance scenarios of the page, in a real Chromium, on a real deployment with real daemons.
 * Words of the command line choose among them, such as `npm run check:ui -- '3 ·'`.
 */

const all: readonly Scenario[] = [...looks, ...nodes, ...systems, ...callers, ...busy, ...tabs, ...dialogs];

/** Runs each in a browser and a cluster of its own; gives how many failed. */
async function check(only: readonly string[]): Promise<number> {
  let failed = 0;
  for (const { name, run } of all.filter((one) => only.length === 0 || only.some((word) => one.name.includes(word)))) {
    const browser = await launch();
    const cluster = await aCluster();
    try {
      await step(name, () => run({ browser, cluster }));
    } catch (error) {
      console.log(`        ${error instanceof Error ? error.message.replaceAll('\n', '\n        ') : String(error)}`);
      failed++;
    } finally {
      await browser.close();
      await cluster.stop();
    }
  }
  return failed;
}

try {
  const failed = await check(process.argv.slice(2));
  console.log(failed === 0 ? '\ncheck:ui passed' : `\ncheck:ui FAILED: ${failed}`);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof Unavailable)) throw error;
  console.log(`\ncheck:ui SKIPPED: ${error.message}`);
  process.exitCode = process.env['CI'] === 'true' ? 1 : 0;
}
