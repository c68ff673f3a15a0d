import { launch, open, programOf } from '../../test/browser/browser.ts';
import { expected, step, until } from './progress.ts';

/** A person who looks at the page of the deployment, and does not load it anew. */
export type Onlooker = {
  /** Resolves when the page shows a node by this name. */
  readonly sees: (fqdn: string) => Promise<unknown>;
  /** Signs out, and ends the browser. Throws when anything has gone wrong in the page. */
  readonly leave: () => Promise<void>;
  /** Ends the browser, if it still runs. */
  readonly close: () => Promise<void>;
};

/** The functions are processes that begin at their first call, and the machine may be busy. */
const patienceMs = 90_000;

/**
 * Opens the page of the deployment at an address, by a sign-in link that was made at another address of it; undefined,
 * and a line that says so, where there is no Chromium. There is no stream, so the page asks for changes.
 */
export async function openedPage(url: string, link: string): Promise<Onlooker | undefined> {
  if (programOf('chromium') === undefined) {
    console.log('       -  skip  the page is opened in a browser: there is no Chromium here');
    return undefined;
  }
  const browser = await launch();
  const { page, context, wrong } = await open(browser, { ignoreHTTPSErrors: true });
  page.setDefaultTimeout(patienceMs);
  await step('the page opens in a browser by a sign-in link, and asks for changes', async () => {
    const { pathname, hash } = new URL(link);
    await page.goto(url + pathname + hash);
    await page.locator('.hearing.is-polling').waitFor();
    const cookies = (await context.cookies()).map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite }));
    const session = { name: '__Host-muster-session', httpOnly: true, secure: true, sameSite: 'Strict' };
    expected('its session in a cookie', JSON.stringify(cookies) === JSON.stringify([session]), cookies);
  });
  return {
    sees: (fqdn) =>
      step(`the page shows ${fqdn}`, () =>
        until(`a tile of ${fqdn}`, patienceMs, async () => {
          const seen = await page.locator('main').innerText();
          return (await page.locator(`.tile[title^="${fqdn}: "]`).count()) === 1 ? { found: seen } : { seen: [seen, ...wrong] };
        }),
      ),
    leave: () =>
      step('nothing went wrong in the page, and it signs out', async () => {
        expected('nothing in its console', wrong.length === 0, wrong);
        await page.locator('.person > button').click();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('heading', { name: 'Sign in to Muster' }).waitFor();
        expected('no cookie', (await context.cookies()).length === 0, await context.cookies());
        await browser.close();
      }),
    close: () => browser.close(),
  };
}
