import type { Page } from 'playwright-core';
import { contract } from '../../../lib/contract.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import { settledAt } from '../cluster.ts';
import { awaited, hold, type Scenario, same, signedIn } from '../scenario.ts';

/** The paths to which a page has posted, from now on. */
function sentBy(page: Page): readonly string[] {
  const sent: string[] = [];
  page.on('request', (request) => void (request.method() === 'POST' && sent.push(new URL(request.url()).pathname)));
  return sent;
}

/** Does something three times before the page can draw what came of the first. */
const thrice = (what: string): string => `for (let n = 0; n < 3; n++) ${what}`;

/** Scenarios about dialogs by keyboard and by pointer. */
export const dialogs: readonly Scenario[] = [
  {
    name: '10 · a dialog gives the focus back, closes by Escape before anything was pressed, and stays when pressed itself',
    run: async ({ browser, cluster }) => {
      await cluster.startAgent('node1.acme.test');
      await settledAt(cluster.api, { up: 1 });
      const { page, context } = await signedIn(browser, await cluster.link());
      const dialog = page.locator('dialog[open]');
      await page.goto(`${cluster.url}/ui/nodes/node1.acme.test?do=drop`);
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      same('the address asks for nothing more', new URL(page.url()).search, '');
      const drop = page.getByRole('button', { name: 'Drop…' });
      await drop.press('Enter');
      await dialog.waitFor();
      const { x, y } = (await dialog.boundingBox())!;
      await page.mouse.click(x + 6, y + 6);
      same('dialogs after a press in its padding', await dialog.count(), 1);
      await page.mouse.click(x - 20, y + 6);
      await dialog.waitFor({ state: 'detached' });
      same('what has the focus', await page.evaluate('document.activeElement.textContent'), 'Drop…');
      await context.close();
    },
  },
  {
    name: '10 · a zone is created once, however often Enter is pressed; a refusal stands in its dialog',
    run: async ({ browser, cluster }) => {
      const { page, context } = await signedIn(browser, await cluster.link());
      await page.goto(`${cluster.url}/ui/settings?tab=zones`);
      const sent = sentBy(page);
      await page.getByRole('button', { name: 'Create a zone…' }).click();
      await page.getByLabel('Name').fill('emea');
      await page.getByLabel('For').selectOption('storage');
      await page.keyboard.press('Enter');
      await page.locator('dialog[open]').getByRole('alert').waitFor();
      await page.getByLabel('Name').fill('apac');
      await page.evaluate(thrice("document.querySelector('dialog form').requestSubmit()"));
      await page.locator('dialog').waitFor({ state: 'detached' });
      same('what was sent', sent, ['/api/v1/zones', '/api/v1/zones']);
      await context.close();
    },
  },
  {
    name: '10 · what is pressed thrice is ordered once, with a dialog and without; a refusal after its dialog was closed is said',
    run: async ({ browser, cluster }) => {
      await cluster.startAgent('node1.acme.test');
      await settledAt(cluster.api, { up: 1 });
      const { page, context } = await signedIn(browser, await cluster.link());
      const sent = sentBy(page);
      await page.goto(`${cluster.url}/ui/nodes/node1.acme.test`);
      await page.getByRole('button', { name: 'Hold' }).waitFor();
      await page.evaluate(thrice("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Hold').click()"));
      await page.getByText('may be away').waitFor();
      await page.goto(`${cluster.url}/ui/onboarding?tab=hosts`);
      await page.getByRole('button', { name: 'New rule…' }).click();
      await page.getByLabel('Name', { exact: true }).fill('lab');
      await page.getByLabel('Host names').fill('lab[1-9].acme.test');
      await page.evaluate(thrice("document.querySelector('dialog form').requestSubmit()"));
      await page.locator('dialog').waitFor({ state: 'detached' });
      const leaves = /^\/api\/v1\/nodes\/[^/]+\/leave$/;
      same(
        'what was sent',
        sent.map((path) => path.replace(leaves, 'leave')),
        ['leave', '/api/v1/admission-rules'],
      );
      await page.goto(`${cluster.url}/ui/settings?tab=zones`);
      await page.getByRole('button', { name: 'Create a zone…' }).click();
      await page.getByLabel('Name').fill('emea');
      await page.getByLabel('For').selectOption('storage');
      const { release } = await hold(page, '**/api/v1/zones');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      release();
      await page.locator('.toasts .bad').waitFor();
      await context.close();
    },
  },
  {
    name: '10 · what takes something away asks with the focus on what leaves it, and is confirmed by keyboard alone',
    run: async ({ browser, cluster }) => {
      const { page, context } = await signedIn(browser, await cluster.link());
      await page.goto(`${cluster.url}/ui/onboarding?tab=hosts`);
      await page.getByRole('button', { name: 'Delete…' }).first().press('Enter');
      const dialog = page.locator('dialog[open]');
      await dialog.waitFor();
      same('what has the focus', await page.evaluate('document.activeElement.textContent'), 'Keep it');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await awaited('one rule is left', async () => (await page.getByRole('button', { name: 'Delete…' }).count()) === 1);
      await context.close();
    },
  },
  {
    name: '10 · common content is edited on one server, which the page names, with who edits, and whose editing is ended with a reason',
    run: async ({ browser, cluster }) => {
      const server = 'uyuni1.acme.test';
      await cluster.startAgent(server, 'default', 'uyuni');
      await awaited('the server is up', async () => {
        const answer = await cluster.api(contract.editContent, { params: { zone: defaultZone }, body: { login: 'ada', changes: true } });
        return answer.ok && answer.body.fqdn === server;
      });
      const { page, context } = await signedIn(browser, await cluster.link());
      await page.goto(`${cluster.url}/ui/settings?tab=zones&zone=default`);
      const content = page.getByRole('region', { name: 'Common content' });
      await content.getByText('ada, through a gateway').waitFor();
      await content.getByRole('button', { name: 'Edit' }).first().click();
      await page.getByText(`Edit on ${server}`).waitFor();
      await content.getByRole('button', { name: 'Finish' }).click();
      await page.getByText('operator has finished').first().waitFor();
      await content.getByRole('button', { name: 'End editing…' }).click();
      await page.getByLabel('Because').fill('the night shift begins');
      await page.keyboard.press('Enter');
      await content.getByText('no server').waitFor();
      await content.getByRole('button', { name: 'The others have it…' }).click();
      await page.getByRole('button', { name: 'They have it' }).click();
      await content.getByRole('definition').filter({ hasText: server }).waitFor({ state: 'detached' });
      await context.close();
    },
  },
];
