import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { settledAt } from '../cluster.ts';
import { awaited, everyView, type Scenario, same, show, signedIn } from '../scenario.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Finding = { readonly id: string; readonly help: string; readonly nodes: readonly { readonly target: readonly unknown[] }[] };

/** What axe finds in a page as it is now. The debugger may run scripts that the page's policy would not let in. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = (await page.evaluate('axe.run(document).then(({ violations }) => violations)')) as readonly Finding[];
  return found.map(
    ({ id, help, nodes }) =>
      `${id}: ${help} (${nodes
        .slice(0, 3)
        .map(({ target }) => target.join(' '))
        .join(', ')})`,
  );
}

/** Scenarios about how the page looks and what it may do, view by view. */
export const looks: readonly Scenario[] = [
  {
    name: '1 · a link opens the overview; no script reads a cookie, and no view breaks the policy',
    run: async ({ browser, cluster }) => {
      await cluster.startAgent('node1.acme.test');
      await settledAt(cluster.api, { up: 1 });
      const { page, wrong, context } = await signedIn(browser, await cluster.link());
      same('document.cookie', await page.evaluate('document.cookie'), '');
      same('the secret has left the address', new URL(page.url()).hash, '');
      for (const path of await everyView(page)) await show(page, path);
      same('what went wrong in any view', wrong, []);
      await context.close();
    },
  },
  {
    name: '10 · axe finds nothing in any view, light and dark; at 360 px nothing is wider than the page',
    run: async ({ browser, cluster }) => {
      await cluster.startAgent('node1.acme.test');
      await settledAt(cluster.api, { up: 1 });
      for (const colorScheme of ['dark', 'light'] as const) {
        const { page, context } = await signedIn(browser, await cluster.link(), { colorScheme });
        for (const path of await everyView(page)) {
          await show(page, path);
          same(`axe in ${path}, ${colorScheme}`, await findings(page), []);
        }
        await context.close();
      }
      const { page, context } = await signedIn(browser, await cluster.link(), { viewport: { width: 360, height: 800 } });
      for (const path of await everyView(page)) {
        await show(page, path);
        const widthOf = () => page.evaluate<number>('document.documentElement.scrollWidth');
        // A view is drawn in several steps, of which those before the last may be wider on a busy machine.
        await awaited(`${path} is as wide as the page`, async () => (await widthOf()) === 360, 5_000).catch(() => undefined);
        same(`${path} is as wide as the page`, await widthOf(), 360);
      }
      await context.close();
    },
  },
  {
    name: '10 · who wants no motion sees none',
    run: async ({ browser, cluster }) => {
      for (const n of [1, 2, 3]) await cluster.startAgent(`node${n}.acme.test`);
      await settledAt(cluster.api, { up: 3 });
      const { page, context } = await signedIn(browser, await cluster.link(), { reducedMotion: 'reduce' });
      same('what moves', await page.evaluate('document.getAnimations().length'), 0);
      await context.close();
    },
  },
];
