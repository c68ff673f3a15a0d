import { settledAt } from '../cluster.ts';
import { type Scenario, same, signedIn } from '../scenario.ts';

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
      const sent: string[] = [];
      page.on('request', (request) => void (request.method() === 'POST' && sent.push(new URL(request.url()).pathname)));
      await page.getByRole('button', { name: 'Create a zone…' }).click();
      await page.getByLabel('Name').fill('emea');
      await page.getByLabel('For').selectOption('storage');
      await page.keyboard.press('Enter');
      await page.locator('dialog[open]').getByRole('alert').waitFor();
      await page.getByLabel('Name').fill('apac');
      await page.evaluate("for (let n = 0; n < 3; n++) document.querySelector('dialog form').requestSubmit()");
      await page.locator('dialog').waitFor({ state: 'detached' });
      same('what was sent', sent, ['/api/v1/zones', '/api/v1/zones']);
      await context.close();
    },
  },
];
