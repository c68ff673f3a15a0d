import type { Locator, Page } from 'playwright-core';
import { contract } from '../../../lib/contract.ts';
import { answered, type Cluster, settledAt } from '../cluster.ts';
import { awaited, hold, type Scenario, same, signedIn } from '../scenario.ts';
import { findings } from './looks.ts';

/** What has the focus, by its label or text. */
const focused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement?.labels?.[0]?.textContent ?? document.activeElement?.textContent ?? ""');

/** Goes by the Tab key until what has a label, or a text, has the focus. */
async function reach(page: Page, label: string): Promise<void> {
  for (let presses = 0; (await focused(page)) !== label; presses++) {
    if (presses > 60) throw new Error(`${label} is not reached by the Tab key`);
    await page.keyboard.press('Tab');
  }
}

/** Four client systems that `web*` finds and two that it does not, all onboarded. */
async function populated(cluster: Cluster): Promise<void> {
  const { api } = cluster;
  const { secret } = await answered(api(contract.createOnboardingToken, { body: { zone: 'default', uses: 7 } }));
  await cluster.startAgent('node1.acme.test');
  await settledAt(api, { up: 1 });
  for (const name of ['web1', 'web2', 'web3', 'web4', 'db1', 'db2']) cluster.startClient(`${name}.acme.test`, secret);
  await settledAt(api, { up: 1, systems: 6 });
}

/** Opens the dialog for all that match `web*`, by the keyboard alone. */
async function allOf4(page: Page): Promise<Locator> {
  await page.keyboard.press('/');
  await page.locator('#query:focus').waitFor();
  await page.keyboard.type('web*');
  await page.getByText('4 client systems').waitFor();
  await page.locator('.systems-list').getByText('web4').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await reach(page, 'Select all 4 that match…');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('web1.acme.test').waitFor();
  return dialog;
}

/** Scenarios about the list of client systems. */
export const systems: readonly Scenario[] = [
  {
    name: '8 · all that match a query get a tag by keyboard alone, and no other; the list shows it without a reload',
    run: async ({ browser, cluster }) => {
      const { api } = cluster;
      await populated(cluster);
      const { page, context, wrong } = await signedIn(browser, await cluster.link());
      const dialog = await allOf4(page);
      same('axe in the dialog', await findings(page), []);
      await reach(page, 'Add tags');
      await page.keyboard.type('f');
      await page.keyboard.press('Enter');
      await dialog.getByText('Done.').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.systems-list .tag', { hasText: 'f' }).nth(3).waitFor();
      const { items } = await answered(api(contract.listSystems, { query: { tag: 'f' } }));
      same(
        'who has the tag',
        items.map(({ fqdn }) => fqdn).sort(),
        ['web1', 'web2', 'web3', 'web4'].map((name) => `${name}.acme.test`),
      );
      same('what went wrong', wrong, []);
      await context.close();
    },
  },
  {
    name: '8 · an order is for those that were looked at: when others match by then, nothing is done before a second look',
    run: async ({ browser, cluster }) => {
      const { api } = cluster;
      await populated(cluster);
      const { page, context } = await signedIn(browser, await cluster.link());
      const dialog = await allOf4(page);
      await dialog.getByLabel('Do', { exact: true }).selectOption('Ban');
      const order = dialog.getByRole('button', { name: 'Ban all 4' });
      await dialog.getByLabel('Type 4, the number of client systems, to confirm').fill('3');
      same('a wrong number', await order.isDisabled(), true);
      const { secret } = await answered(api(contract.createOnboardingToken, { body: { zone: 'default' } }));
      cluster.startClient('web5.acme.test', secret);
      await awaited('a fifth matches', async () => {
        const { total } = await answered(api(contract.findSystems, { query: { q: 'web*', limit: 1 } }));
        return total === 5;
      });
      same('the dialog is as it was', await dialog.getByText('4 client systems').count(), 1);
      await dialog.getByLabel('Type 4, the number of client systems, to confirm').fill('4');
      await order.click();
      await dialog.getByText('Others match by now.').waitFor();
      await dialog.getByText(/5 match now/).waitFor();
      await dialog.getByText('Nothing was done to 4 client systems.').waitFor();
      await dialog.getByRole('button', { name: 'Look again' }).click();
      await dialog.getByText('5 client systems').waitFor();
      await dialog.getByLabel('Do', { exact: true }).selectOption('Ban');
      await dialog.getByLabel('Type 5, the number of client systems, to confirm').fill('5');
      await dialog.getByRole('button', { name: 'Ban all 5' }).click();
      await dialog.getByText('Done.').waitFor();
      const { items } = await answered(api(contract.listSystems, { query: { status: 'onboarded' } }));
      same('who is left', items.map(({ fqdn }) => fqdn).sort(), ['db1.acme.test', 'db2.acme.test']);
      await context.close();
    },
  },
  {
    name: '8 · an order whose dialog is closed is told of above every view until it was seen, also after a reload',
    run: async ({ browser, cluster }) => {
      await populated(cluster);
      const { page, context } = await signedIn(browser, await cluster.link());
      const line = page.getByRole('region', { name: 'Orders to many' });
      const begin = async (tag: string): Promise<() => void> => {
        const dialog = await allOf4(page);
        const { held, release } = await hold(page, '**/api/v1/systems/edit');
        await dialog.getByLabel('Add tags').fill(tag);
        await page.keyboard.press('Enter');
        await awaited('the order is under way', async () => held() > 0);
        await dialog.getByRole('button', { name: 'Close, it goes on' }).click();
        await line.getByText('0 of 4').waitFor();
        return release;
      };
      const release = await begin('f');
      await page.getByRole('link', { name: 'Audit' }).click();
      await page.getByRole('heading', { name: 'Audit' }).waitFor();
      await line.getByText('0 of 4').waitFor();
      same('axe while it is under way', await findings(page), []);
      release();
      await line.getByText('4 done').waitFor();
      await line.getByText('0 not done').waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Audit' }).waitFor();
      await line.getByText('4 done').waitFor();
      same('axe once it has ended', await findings(page), []);
      await line.getByRole('button', { name: 'I have seen it' }).click();
      await line.waitFor({ state: 'detached' });
      await page.unroute('**/api/v1/systems/edit');
      await page.getByRole('link', { name: 'Overview' }).click();
      await begin('g');
      await page.reload();
      await line.getByText('It was cut off: the page was loaded anew meanwhile.').waitFor();
      await line.getByText('4 client systems had no answer.').waitFor();
      await context.close();
    },
  },
  {
    name: '8 · what is typed right behind / lands in the query, however long its view takes to load',
    run: async ({ browser, cluster }) => {
      await populated(cluster);
      const { page, context } = await signedIn(browser, await cluster.link());
      const { held, release } = await hold(page, /\/ui\/systems-[^/]+\.js$/);
      await page.locator('main').focus();
      // A digit would lead elsewhere, and t would show the table, were they not typed.
      await page.keyboard.type('/web1*t');
      await awaited('the view is being loaded', async () => held() > 0);
      await page.keyboard.press('Backspace');
      same('where one is', new URL(page.url()).pathname, '/ui/systems');
      release();
      await page.locator('#query:focus').waitFor();
      await page.keyboard.type(' zone:default');
      same('the query', await page.locator('#query').inputValue(), 'web1* zone:default');
      await page.getByText('1 client system', { exact: true }).waitFor();
      await context.close();
    },
  },
];
