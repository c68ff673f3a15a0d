import { contract } from '../../../lib/contract.ts';
import { answered, settledAt, tag } from '../cluster.ts';
import { awaited, everyView, type Scenario, same, show, signedIn, told } from '../scenario.ts';

/** Scenarios that are played in another browser as well. */
export const others: readonly Scenario[] = [
  {
    name: '11 · in Firefox: a link signs in, every view opens, events arrive, machines are accepted by keyboard, and nothing is refused',
    in: 'firefox',
    run: async ({ browser, cluster }) => {
      const { api } = cluster;
      const { secret } = await answered(api(contract.createOnboardingToken, { body: { zone: 'default' } }));
      await cluster.startAgent('node1.acme.test');
      cluster.startClient('db1.acme.test', secret);
      await settledAt(api, { up: 1, systems: 1 });
      const { page, context, wrong } = await signedIn(browser, await cluster.link());
      same('document.cookie', await page.evaluate('document.cookie'), '');
      same('the secret has left the address', new URL(page.url()).hash, '');
      await page.locator('.hearing.is-live').waitFor();
      const [system] = (await answered(api(contract.listSystems, { query: {} }))).items;
      await tag(cluster, system!.fp, 'a');
      await awaited('the edit in the feed', async () => (await told(page, 'client.labelled')) === 1);
      for (const path of await everyView(page)) await show(page, path);
      cluster.startClient('web1.acme.test');
      cluster.startClient('web2.acme.test');
      await page.keyboard.press('3');
      await page.getByText('2 machines wait').waitFor({ timeout: 60_000 });
      for (const key of ['*', 'a', 'a']) await page.keyboard.press(key);
      await page.getByText(/2 accepted/).waitFor();
      const { items } = await answered(api(contract.listSystems, { query: {} }));
      same('who is new', items.filter(({ status }) => status === 'new').length, 0);
      // Firefox tells of what its policy did not let in as of errors.
      same('what went wrong in any view', wrong, []);
      await context.close();
    },
  },
];
