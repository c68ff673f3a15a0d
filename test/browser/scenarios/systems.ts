import { contract } from '../../../lib/contract.ts';
import { answered, settledAt } from '../cluster.ts';
import { type Scenario, same, signedIn } from '../scenario.ts';

/** Scenarios about the list of client systems. */
export const systems: readonly Scenario[] = [
  {
    name: '8 · all that match a query get a tag by keyboard alone, and no other; the list shows it without a reload',
    run: async ({ browser, cluster }) => {
      const { api } = cluster;
      const { secret } = await answered(api(contract.createOnboardingToken, { body: { zone: 'default', uses: 6 } }));
      await cluster.startAgent('node1.acme.test');
      await settledAt(api, { up: 1 });
      for (const name of ['web1', 'web2', 'web3', 'web4', 'db1', 'db2']) cluster.startClient(`${name}.acme.test`, secret);
      await settledAt(api, { up: 1, systems: 6 });
      const { page, context, wrong } = await signedIn(browser, await cluster.link());
      await page.keyboard.press('/');
      await page.locator('#query:focus').waitFor();
      await page.keyboard.type('web*');
      await page.getByText('4 client systems').waitFor();
      await page.locator('.systems-list').getByText('web4').waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      await page.getByRole('button', { name: 'All 4 that match…' }).press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Add').press('f');
      await dialog.getByLabel('Add').press('Enter');
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
];
