import type { Page } from 'playwright-core';
import { contract } from '../../../lib/contract.ts';
import { another } from '../browser.ts';
import { answered, tag } from '../cluster.ts';
import { awaited, type Scenario, same, signedIn, told } from '../scenario.ts';

/** Makes a page believe that nobody sees it, or that somebody does again, as its browser would tell it. */
const show = (page: Page, isSeen: boolean): Promise<unknown> =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${!isSeen}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`);

/** Scenarios about tabs of which one holds what all need. */
export const tabs: readonly Scenario[] = [
  {
    name: '11 · where there is no stream, the tab that is seen asks for changes, whichever was opened first',
    run: async ({ browser, cluster }) => {
      const { secret } = await answered(cluster.api(contract.createOnboardingToken, { body: { zone: 'default' } }));
      cluster.startClient('web1.acme.test', secret);
      const { context, page } = await signedIn(browser, await cluster.link());
      await context.route('**/api/v1/events', (route) => route.fulfill({ status: 404, json: { type: 'urn:muster:unknown-path' } }));
      await page.reload();
      await page.locator('.hearing.is-polling').waitFor();
      const { page: second } = await another(context);
      await second.goto(page.url());
      await second.locator('.hearing.is-polling').waitFor();
      await show(page, false);
      const [system] = await awaited('a client system', async () => {
        const { items } = await answered(cluster.api(contract.listSystems, { query: {} }));
        return items.length > 0 && items;
      });
      // Whoever asks every 3 s has asked once more by then, and seen that nobody sees it.
      await page.waitForTimeout(7_000);
      await tag(cluster, system!.fp, 'a');
      await awaited('the edit in the tab that is seen', async () => (await told(second, 'client.labelled')) === 1);
      await show(page, true);
      await awaited('and in the other one', async () => (await told(page, 'client.labelled')) === 1);
      await context.close();
    },
  },
  {
    name: '6 · a tab that holds the stream and says nothing, as one that its browser has put to sleep, loses it',
    run: async ({ browser, cluster }) => {
      const { context, page } = await signedIn(browser, await cluster.link());
      const at = page.url();
      await page.goto(`${cluster.url}/ui/muster.svg`);
      await page.evaluate("void navigator.locks.request('muster-live', () => new Promise(() => {}))");
      const { page: second, wrong } = await another(context);
      await second.clock.install();
      await second.goto(at);
      await second.getByRole('heading', { name: 'What happens' }).waitFor();
      same('what it hears by', await second.locator('.hearing').getAttribute('class'), 'hearing is-connecting');
      await second.clock.runFor(65_000);
      await second.locator('.hearing.is-live').waitFor();
      same('what went wrong', wrong, []);
      await context.close();
    },
  },
  {
    name: '6 · the overview asks for the status once at a time',
    run: async ({ browser, cluster }) => {
      const { secret } = await answered(cluster.api(contract.createOnboardingToken, { body: { zone: 'default' } }));
      cluster.startClient('web1.acme.test', secret);
      const system = await awaited(
        'a client system',
        async () => (await answered(cluster.api(contract.listSystems, { query: {} }))).items[0],
      );
      const { context, page } = await signedIn(browser, await cluster.link());
      await page.locator('.hearing.is-live').waitFor();
      await page.locator('.zone-card').first().waitFor();
      const asked: string[] = [];
      page.on('request', (request) => void (/\/api\/v1\/status/.test(request.url()) && asked.push(new URL(request.url()).search)));
      await tag(cluster, system.fp, 'a');
      await awaited('the status is asked for anew', async () => asked.length > 0);
      await page.waitForTimeout(1_000);
      same('how the status was asked for', [...new Set(asked)], ['?counts=yes']);
      await context.close();
    },
  },
];
