import { contract } from '../../../lib/contract.ts';
import { answered, type Cluster, settledAt, tag } from '../cluster.ts';
import { awaited, lines, type Scenario, same, signedIn, told } from '../scenario.ts';

const zone = 'default';

/**
 * Three nodes, and so many client systems that are onboarded at once. Gives a token for more of them. Those of a lost
 * node move without delay.
 */
async function populated(cluster: Cluster, systems: number): Promise<string> {
  const { api } = cluster;
  await answered(api(contract.editZone, { params: { zone }, body: { remapAfterMs: 0 } }));
  const { secret } = await answered(api(contract.createOnboardingToken, { body: { zone, uses: 30 } }));
  for (const n of [1, 2, 3]) await cluster.startAgent(`node${n}.acme.test`);
  await settledAt(api, { up: 3 });
  for (let n = 1; n <= systems; n++) cluster.startClient(`web${n}.acme.test`, secret);
  await settledAt(api, { up: 3, systems });
  return secret;
}

const u16 = (text: string): Uint16Array => new Uint16Array(new Uint8Array(Buffer.from(text, 'base64')).buffer);

/** How many pixels of the map are drawn. */
const cells = `(() => {
  const canvas = document.querySelector('.slot-map canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let n = 0;
  for (let at = 3; at < data.length; at += 4) n += data[at] > 0;
  return n;
})()`;

/** Scenarios about machines that come and go. */
export const nodes: readonly Scenario[] = [
  {
    name: '2 · twelve machines are accepted by keyboard alone; all show onboarded without a reload',
    run: async ({ browser, cluster }) => {
      for (const n of [1, 2]) await cluster.startAgent(`node${n}.acme.test`);
      await settledAt(cluster.api, { up: 2 });
      for (let n = 1; n <= 12; n++) cluster.startClient(`web${n}.acme.test`);
      const { page, context } = await signedIn(browser, await cluster.link());
      await page.keyboard.press('3');
      await page.getByText('12 machines wait').waitFor({ timeout: 60_000 });
      await page.keyboard.press('*');
      // The first leads to the button with what it will do, the second does it.
      for (const key of ['a', 'a']) await page.keyboard.press(key);
      await page.getByText(/12 accepted/).waitFor();
      await awaited(
        'all twelve are onboarded on the page',
        async () => {
          cluster.knock();
          await page.waitForTimeout(1_000);
          return (await page.getByText(/12 onboarded/).count()) > 0;
        },
        90_000,
      );
      await context.close();
    },
  },
  {
    name: '3 · a node is killed: suspected, lost and moved appear in order, each with its reason; it comes back',
    run: async ({ browser, cluster }) => {
      await populated(cluster, 6);
      const { page, context } = await signedIn(browser, await cluster.link());
      cluster.killAgent('node2.acme.test');
      const at: number[] = [];
      for (const type of ['node.suspected', 'node.lost', 'zone.rebalanced']) {
        const line = lines(page, type)
          .filter({ hasText: type === 'zone.rebalanced' ? 'node2' : '' })
          .first();
        await line.waitFor({ timeout: 60_000 });
        at.push(Date.parse((await line.locator(':scope > time').getAttribute('datetime'))!));
        if ((await line.locator('p').innerText()).trim() === '') throw new Error(`${type} has no reason`);
      }
      same(
        'they came in this order',
        at,
        at.toSorted((a, b) => a - b),
      );
      await cluster.startAgent('node2.acme.test');
      await awaited('all three nodes are up again on the page', async () => (await page.locator('.tile.is-up').count()) === 3, 60_000);
      await page.getByText('0 away from home').waitFor({ timeout: 60_000 });
      await context.close();
    },
  },
  {
    name: '4 · what a preview said is what the drop then does, slot by slot',
    run: async ({ browser, cluster }) => {
      let systems = 6;
      const token = await populated(cluster, systems);
      const previewed = async () => answered(cluster.api(contract.previewZone, { params: { zone }, query: { drop: 'node2.acme.test' } }));
      let plan = { moves: '', since: Date.now() };
      await awaited(
        'the plan rests for longer than a count takes, and moves nothing later',
        async () => {
          const { systemsAbout } = await answered(cluster.api(contract.getZone, { params: { zone } }));
          if (systemsAbout < systems) return false;
          const { moves, others } = await previewed();
          // Uneven nodes are evened out five minutes later, as the preview says. More systems make them even.
          if (others.length > 0) cluster.startClient(`web${++systems}.acme.test`, token);
          if (moves !== plan.moves) plan = { moves, since: Date.now() };
          await new Promise((resolve) => setTimeout(resolve, 1_000));
          return others.length === 0 && Date.now() - plan.since > 11_000;
        },
        240_000,
      );
      const { page, context } = await signedIn(browser, await cluster.link());
      await page.locator('.tile', { hasText: 'node2' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Open' }).click();
      await page.getByRole('button', { name: 'Drop…' }).press('Enter');
      await page.getByText(/would move to 2 nodes/).waitFor();
      const said = await previewed();
      const order = page.getByRole('button', { name: /^Drop it/ });
      await order.focus();
      await page.keyboard.press('Enter');
      const view = new DataView(new Uint8Array(Buffer.from(said.moves, 'base64')).buffer);
      const wanted = Array.from({ length: view.byteLength / 8 }, (_, n) => [view.getUint32(n * 8, true), view.getUint16(n * 8 + 4, true)]);
      const mapNow = async (): Promise<Uint16Array> =>
        u16((await answered(cluster.api(contract.zoneMap, { params: { zone }, query: {} }))).whole!.owner);
      const index = said.nodes.find(({ fqdn }) => fqdn === 'node2.acme.test')!.index;
      const owner = await awaited('node2 has no slot any more', async () => {
        const map = await mapNow();
        return !map.includes(index) && map;
      });
      same(
        'the owners of the slots that were to move',
        wanted.map(([slot]) => owner[slot!]),
        wanted.map(([, to]) => to),
      );
      await context.close();
    },
  },
  {
    name: '4 · a preview stays as it was read while the zone changes, and nothing is ordered that was not read',
    run: async ({ browser, cluster }) => {
      await populated(cluster, 3);
      const { page, context } = await signedIn(browser, await cluster.link());
      await page.goto(`${cluster.url}/ui/nodes/node2.acme.test?do=drop`);
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/would move to 2 nodes/).waitFor();
      const read = (): Promise<string> => dialog.locator('.bars').innerText();
      const [before, order] = [await read(), dialog.getByRole('button', { name: /^Drop it/ })];
      cluster.killAgent('node3.acme.test');
      await dialog.getByText('something else would happen by now').waitFor({ timeout: 60_000 });
      same('what stands there', await read(), before);
      same('it cannot be ordered', await order.isDisabled(), true);
      await dialog.getByRole('button', { name: 'Show what would happen now' }).click();
      await dialog.getByText(/would move to 1 node/).waitFor();
      // The planner says something else only as the order is given.
      const dropped: string[] = [];
      page.on('request', (request) => void (/\/drop$/.test(request.url()) && dropped.push(request.url())));
      const now = await answered(cluster.api(contract.previewZone, { params: { zone }, query: { drop: 'node2.acme.test' } }));
      await page.route('**/preview?*', (route) => route.fulfill({ json: { ...now, waiting: { slots: 9, systemsAbout: 9 } } }));
      await order.click();
      await dialog.getByText('Something else would happen by now, as it stands here: nothing was ordered.').waitFor();
      await dialog.getByText(/9 slots would wait/).waitFor();
      same('orders', dropped.length, 0);
      await order.click();
      await dialog.waitFor({ state: 'detached' });
      same('orders', dropped.length, 1);
      await context.close();
    },
  },
  {
    name: '5 · the hour is turned back: no slots of moments at which they were elsewhere than the page ever knew',
    run: async ({ browser, cluster }) => {
      await populated(cluster, 2);
      const { page, context } = await signedIn(browser, await cluster.link());
      await page.locator('.tile.is-up').nth(2).waitFor();
      // The event of the last move may come a moment after the map.
      await awaited('the moves in the feed', async () => (await told(page, 'zone.rebalanced')) > 0);
      const slider = page.getByLabel('The last hour');
      const drawn = (): Promise<number> => page.evaluate(cells) as Promise<number>;
      await awaited('slots are drawn', async () => (await drawn()) > 0);
      await slider.fill('600');
      await page.getByText(/Slots are not known before \d\d:\d\d:\d\d/).waitFor();
      same('cells of slots', await drawn(), 0);
      same('tiles of nodes', await page.locator('.tile').count(), 3);
      const backToNow = page.getByRole('button', { name: 'Back to now' });
      await awaited('slots are drawn of a moment since the last move', async () => {
        await backToNow.click();
        same('cells of now', (await drawn()) > 0, true);
        await slider.fill('3595');
        await page.waitForTimeout(500);
        return (await drawn()) > 0;
      });
      await page.keyboard.press('Escape');
      await backToNow.waitFor({ state: 'detached' });
      await context.close();
    },
  },
  {
    name: '5 · the host is killed and starts again: the page recovers by itself, nothing twice, no hole',
    run: async ({ browser, cluster }) => {
      await populated(cluster, 2);
      const { page, context } = await signedIn(browser, await cluster.link());
      const { items } = await answered(cluster.api(contract.listSystems, { query: {} }));
      for (const name of ['a', 'b', 'c']) await tag(cluster, items[0]!.fp, name);
      await awaited('three edits on the page', async () => (await told(page, 'client.labelled')) === 3);
      await cluster.restart();
      for (const name of ['d', 'e', 'f', 'g']) await tag(cluster, items[0]!.fp, name);
      await awaited('all seven edits on the page, each once', async () => (await told(page, 'client.labelled')) === 7, 45_000);
      await tag(cluster, items[0]!.fp, 'h');
      await awaited('and the next one', async () => (await told(page, 'client.labelled')) === 8);
      await page.locator('.hearing.is-live').waitFor();
      await context.close();
    },
  },
];
