import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { withBearer } from '../../../lib/api/bearer.ts';
import { apiClient } from '../../../lib/api/client.ts';
import { contract } from '../../../lib/contract.ts';
import { another, open } from '../browser.ts';
import { answered, type Cluster, settledAt, tag } from '../cluster.ts';
import { awaited, type Scenario, same, signedIn, told } from '../scenario.ts';

/** A key of an administrator of one zone, and a link that signs in with its rights. */
async function limitedTo(cluster: Cluster, zone: string): Promise<{ readonly id: string; readonly link: string }> {
  const body = { name: `of ${zone}`, scopes: ['admin'], zones: [zone] } as const;
  const { secret, key } = await answered(cluster.api(contract.createKey, { body }));
  const api = apiClient(cluster.url, { timeoutMs: 10_000, fetching: withBearer(() => secret) });
  return { id: key.id, link: (await answered(api(contract.createSignInLink, { body: {} }))).link };
}

/** A page of another port of this machine that tries to change something, in the ways that a page has. */
const hostile = (url: string): string => `<!doctype html><title>elsewhere</title>
<form method="post" action="${url}/api/v1/zones" enctype="text/plain"><input name='{"name":"evil","x":"' value='"}'></form>
<script>
const ways = [
  fetch('${url}/api/v1/zones', { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body: '{"name":"evil"}' }),
  fetch('${url}/api/v1/zones', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"name":"evil"}' }),
  fetch('${url}/api/v1/status', { credentials: 'include' }).then((r) => r.text()).then((text) => { document.title = 'read: ' + text; }),
];
Promise.allSettled(ways).then(() => { document.forms[0].submit(); });
</script>`;

async function served(html: string): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(html));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

/** Counts the streams that the tabs of a browser have opened. */
function streamsOf(page: Page, opened: { n: number }): void {
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/v1/events') opened.n++;
  });
}

async function tabs(context: BrowserContext, url: string, count: number, opened: { n: number }): Promise<Page[]> {
  const pages: Page[] = [];
  for (let n = 0; n < count; n++) {
    const { page } = await another(context);
    streamsOf(page, opened);
    await page.goto(url);
    await page.getByRole('heading', { name: 'What happens' }).waitFor();
    pages.push(page);
  }
  return pages;
}

/** Scenarios about who looks and who calls. */
export const callers: readonly Scenario[] = [
  {
    name: '6 · six tabs hold one stream; closing the one that holds it loses nothing',
    run: async ({ browser, cluster }) => {
      const { secret } = await answered(cluster.api(contract.createOnboardingToken, { body: { zone: 'default' } }));
      cluster.startClient('web1.acme.test', secret);
      const { context, page } = await signedIn(browser, await cluster.link());
      const system = await awaited(
        'a client system',
        async () => (await answered(cluster.api(contract.listSystems, { query: {} }))).items[0],
      );
      const opened = { n: 0 };
      const others = await tabs(context, page.url(), 5, opened);
      await tag(cluster, system.fp, 'a');
      for (const tab of [page, ...others]) await awaited('one edit in each tab', async () => (await told(tab, 'client.labelled')) === 1);
      same('streams that other tabs opened', opened.n, 0);
      await page.close();
      for (const name of ['b', 'c', 'd']) await tag(cluster, system.fp, name);
      for (const tab of others) await awaited('four edits in each tab', async () => (await told(tab, 'client.labelled')) === 4);
      same('streams that were opened after that', opened.n, 1);
      await context.close();
    },
  },
  {
    name: '7 · an operator of one zone sees that zone alone; a revoked session is out within 5 s',
    isAlone: true,
    run: async ({ browser, cluster }) => {
      await cluster.startAgent('node1.acme.test');
      await cluster.startAgent('node2.acme.test', 'emea');
      await settledAt(cluster.api, { up: 1 });
      await settledAt(cluster.api, { up: 1 }, 'emea');
      const { id, link } = await limitedTo(cluster, 'emea');
      const { page, context } = await signedIn(browser, link);
      same('the zones on the page', await page.locator('.zone-card > b').allTextContents(), ['emea']);
      await page.goto(`${cluster.url}/ui/nodes/node1.acme.test`);
      await page.getByRole('alert').waitFor();
      same('buttons of a node of another zone', await page.getByRole('button', { name: /Drain|Drop|Hold/ }).count(), 0);
      await answered(cluster.api(contract.revokeKey, { params: { id }, body: { withMade: true } }));
      const began = Date.now();
      await page.getByRole('heading', { name: 'Sign in to Muster' }).waitFor({ timeout: 15_000 });
      if (Date.now() - began > 5_500) throw new Error(`the session was out after ${(Date.now() - began) / 1_000} s only`);
      await context.close();
    },
  },
  {
    name: '9 · a page of another port, signed in or not, reads and changes nothing',
    run: async ({ browser, cluster }) => {
      const { context } = await signedIn(browser, await cluster.link());
      const elsewhere = await served(hostile(cluster.url));
      const { page } = await another(context);
      await page.goto(elsewhere.url);
      await page.waitForURL(`${cluster.url}/**`);
      const { zones } = await answered(cluster.api(contract.status, {}));
      same(
        'the zones',
        zones.map(({ name }) => name),
        ['default', 'emea'],
      );
      const stranger = await open(browser);
      await stranger.page.goto(elsewhere.url);
      await stranger.page.waitForURL(`${cluster.url}/**`);
      same('the zones', (await answered(cluster.api(contract.status, {}))).zones.length, 2);
      await Promise.all([context.close(), stranger.context.close()]);
      elsewhere.close();
    },
  },
];
