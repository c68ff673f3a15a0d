import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { Unavailable } from '../../tools/check-deploy/python.ts';
import { launchFirefox } from './firefox.ts';

/** The browsers in which the page is tried. */
export type BrowserName = 'chromium' | 'firefox';

/** Where each is unless the environment names it, by a variable of its name. */
const places: Readonly<Record<BrowserName, readonly string[]>> = {
  chromium: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  firefox: ['/usr/bin/firefox-esr', '/usr/bin/firefox'],
};

/** What a Chromium must not do by itself while it is checked: look for updates, or talk to anybody but the host. */
const quiet = [
  ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--disable-default-apps'],
];

/** The program of a browser on this machine; undefined when there is none. */
export const programOf = (name: BrowserName): string | undefined =>
  process.env[name.toUpperCase()] ?? places[name].find((place) => existsSync(place));

/** What to say where a browser is missing. */
export const missingText = (name: BrowserName): string => `no ${name} was found: install it, or name it in ${name.toUpperCase()}`;

/** A browser, by `CHROMIUM` or `FIREFOX`, or where Debian puts it. Throws {@link Unavailable} when there is none. */
export async function launch(name: BrowserName = 'chromium'): Promise<Browser> {
  const executablePath = programOf(name);
  if (executablePath === undefined) throw new Unavailable(missingText(name));
  if (name === 'firefox') return launchFirefox(executablePath);
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
