import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { contract } from '../../lib/contract.ts';
import { launch } from './browser.ts';
import { aCluster, answered, type Cluster, settledAt } from './cluster.ts';
import { awaited, signedIn } from './scenario.ts';

/*
 * `npm run screenshots`: pictures of every view, dark, 1440 × 900, into docs/screenshots/. The cluster is a small real
 * one, so that the pictures show what the page shows.
 */

const folder = join(import.meta.dirname, '../../docs/screenshots');
const systems = 24;

/** Views by the names of their pictures. */
const pictures: Readonly<Record<string, string>> = {
  overview: '/ui/',
  node: '/ui/nodes/node2.acme.test',
  'what-if': '/ui/nodes/node2.acme.test?do=drop',
  systems: '/ui/systems?q=web*',
  onboarding: '/ui/onboarding',
  services: '/ui/services',
  operations: '/ui/operations',
  audit: '/ui/audit',
  settings: '/ui/settings?tab=zones',
};

async function populate(cluster: Cluster): Promise<void> {
  const { api } = cluster;
  for (const n of [1, 2, 3, 4]) await cluster.startAgent(`node${n}.acme.test`);
  await settledAt(api, { up: 4 });
  const { secret } = await answered(api(contract.createOnboardingToken, { body: { zone: 'default', uses: systems, tags: ['web'] } }));
  for (let n = 1; n <= systems; n++) cluster.startClient(`web${n}.acme.test`, secret);
  for (let n = 1; n <= 4; n++) cluster.startClient(`db${n}.acme.test`);
  await settledAt(api, { up: 4, systems });
  await awaited(
    'four that wait',
    async () => (await answered(api(contract.listSystems, { query: { status: 'new' } }))).items.length === 4,
    60_000,
  );
  const counted = async (): Promise<number> =>
    (await answered(api(contract.listNodes, { query: {} }))).items.reduce((sum, { systemsAbout = 0 }) => sum + systemsAbout, 0);
  await awaited('all are counted', async () => (await counted()) >= systems, 60_000);
}

const browser = await launch();
const cluster = await aCluster();
try {
  mkdirSync(folder, { recursive: true });
  await populate(cluster);
  const { page } = await signedIn(browser, await cluster.link(), { colorScheme: 'dark' });
  for (const [name, path] of Object.entries(pictures)) {
    await page.goto(cluster.url + path);
    await page.locator('main').waitFor();
    await awaited(`${path} has loaded`, async () => (await page.locator('.waiting').count()) === 0);
    await page.waitForTimeout(1_500);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    console.log(`docs/screenshots/${name}.png`);
  }
} finally {
  await browser.close();
  await cluster.stop();
}
