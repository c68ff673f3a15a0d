import type { Browser, Locator, Page } from 'playwright-core';
import { type BrowserName, open, type Watched } from './browser.ts';
import type { Cluster } from './cluster.ts';

/** Where a scenario is played. `isWhole`: as large as the design demands, however long that takes. */
export type Stage = { readonly browser: Browser; readonly cluster: Cluster; readonly isWhole: boolean };

/** One acceptance scenario of the page, in a browser and a cluster of its own. */
export type Scenario = {
  readonly name: string;
  /** The browser in which it is played; Chromium unless it is named. */
  readonly in?: BrowserName;
  /** It measures how quick something is: nothing else is played meanwhile. */
  readonly isAlone?: true;
  /** Puts something into the state folder of the control plane before that starts for the first time. */
  readonly seed?: (home: string, isWhole: boolean) => Promise<void>;
  /** Throws what it saw instead of what it expected. */
  readonly run: (stage: Stage) => Promise<void>;
};

/** Opens the page by a sign-in link, as an operator does; resolves once the overview is there. */
export async function signedIn(browser: Browser, link: string, options: Parameters<typeof open>[1] = {}): Promise<Watched> {
  const watched = await open(browser, options);
  await watched.page.goto(link);
  await watched.page.getByRole('heading', { name: 'What happens' }).waitFor();
  return watched;
}

/** Throws unless what was found is what was expected, compared as JSON. */
export function same(what: string, found: unknown, wanted: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}\n  expected ${b}\n  seen     ${a}`);
}

/** Asks a few times a second until `ask` gives neither undefined nor false. Throws with `what` after `withinMs`. */
export async function awaited<T>(what: string, ask: () => Promise<T | undefined | false>, withinMs = 20_000): Promise<T> {
  for (const until = Date.now() + withinMs; ; ) {
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > until) throw new Error(`awaited in vain for ${withinMs / 1_000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The lines of the feed that begin with an event type. */
export const lines = (page: Page, type: string): Locator =>
  page.locator('.feed li', { has: page.locator('b', { hasText: new RegExp(`^${type.replace('.', '\\.')}( ×|$)`) }) });

/** How many events of a type the feed tells, all lines together. */
export async function told(page: Page, type: string): Promise<number> {
  const texts = await lines(page, type).locator('b').allTextContents();
  return texts.reduce((sum, text) => sum + Number(/× (\d+)/.exec(text)?.[1] ?? 1), 0);
}

/** The paths of the views in the navigation of a page. */
export const viewsOf = (page: Page): Promise<string[]> =>
  page.locator('header nav a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));

/** Holds the requests of a page that a pattern fits until `release` is called; `held` counts those that came. */
export async function hold(page: Page, pattern: string | RegExp): Promise<{ readonly held: () => number; readonly release: () => void }> {
  const gate = Promise.withResolvers<void>();
  let n = 0;
  await page.route(pattern, async (route) => {
    n++;
    await gate.promise;
    // The page may be gone by then.
    await route.continue().catch(() => undefined);
  });
  return { held: () => n, release: gate.resolve };
}

/** Goes to a view and waits until it has nothing more to load. */
export async function show(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.locator('main').waitFor();
  await awaited(`${path} has loaded`, async () => (await page.locator('.waiting').count()) === 0);
}

/** The paths of all views that the navigation of the overview names, and of one node. */
export async function everyView(page: Page): Promise<string[]> {
  const node = await page.locator('.tile').first().getAttribute('title');
  return [...(await viewsOf(page)), `/ui/nodes/${node!.split(':')[0]}`];
}
