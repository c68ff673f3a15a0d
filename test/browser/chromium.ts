import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { Unavailable } from '../../tools/check-deploy/python.ts';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** What a browser must not do by itself while it is checked: look for updates, or talk to anybody but the host. */
const quiet = [
  ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--disable-default-apps'],
];

/** The browser, by `CHROMIUM` or where Debian puts it. Throws {@link Unavailable} when there is none. */
export async function launch(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? places.find((place) => existsSync(place));
  if (executablePath === undefined) throw new Unavailable('no Chromium was found: install it, or name it in CHROMIUM');
  // Chromium has no sandbox for root.
  const args = process.getuid?.() === 0 ? [...quiet, '--no-sandbox'] : quiet;
  return chromium.launch({ executablePath, args });
}

/** A page, and what went wrong in it: errors of scripts, of the console, and violations of its policy. */
export type Watched = { readonly page: Page; readonly context: BrowserContext; readonly wrong: readonly string[] };

/** Refused and cut off calls are written to the console by the browser itself; those are for the page to show. */
const isOfTheNetwork = (text: string): boolean => /^Failed to load resource: /.test(text);

/** Opens an empty page in a context of its own, with cookies of its own, and watches it. */
export async function open(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  return { context, ...(await another(context)) };
}

/** Opens another page in the same context: a tab that shares its cookies. */
export async function another(context: BrowserContext): Promise<Pick<Watched, 'page' | 'wrong'>> {
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !isOfTheNetwork(message.text())) wrong.push(`console: ${message.text()}`);
  });
  return { page, wrong };
}
