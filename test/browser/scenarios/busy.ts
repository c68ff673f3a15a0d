import type { Page } from 'playwright-core';
import { settledAt } from '../cluster.ts';
import { busyMs, devtoolsOf, heapOf } from '../devtools.ts';
import { awaited, type Scenario, same, signedIn } from '../scenario.ts';

/** How many events a second are told to the page, and for how long. */
const perSecond = 2_000;
const forS = 5;

/*
 * What is aimed at on an idle machine, and what fails anywhere: a check that runs beside others says nothing about the
 * last frame a second.
 */
const framesPerS = { aim: 50, least: 20 } as const;
const heapMb = { aim: 40, most: 80 } as const;

/** Tells made up events to the page as another tab would, by the clock; gives how many frames a second it drew. */
const tell = `(async () => {
  const channel = new BroadcastChannel('muster-live');
  const began = performance.now();
  const run = Date.now();
  let [frames, told] = [0, 0];
  const event = (n) => {
    const isNode = n % 100 === 0;
    const subject = isNode ? 'node/made-up-' + (n % 7) : 'client/' + (n % 5000).toString(16).padStart(64, '0');
    const type = isNode ? (n % 200 ? 'node.recovered' : 'node.suspected') : n % 10 ? 'client.assigned' : 'client.labelled';
    return {
      specversion: '1.0', id: run + '#' + n, source: 'muster/local', type, subject, time: new Date().toISOString(),
      dataschema: 'muster:' + type + ':1', datacontenttype: 'application/json', eventseq: n,
      because: isNode ? 'no heartbeat for ' + n + ' ms' : 'slot ' + (n % 1024) + ' moved to node' + (n % 3),
      data: { fqdn: 'web' + (n % 5000) + '.acme.test', zone: 'default' },
    };
  };
  const count = () => { frames++; requestAnimationFrame(count); };
  requestAnimationFrame(count);
  while (told < ${perSecond * forS}) {
    const due = Math.min(${perSecond * forS}, Math.floor(((performance.now() - began) / 1000) * ${perSecond}));
    if (due > told) channel.postMessage({ events: Array.from({ length: due - told }, (_, n) => event(told + n)) });
    told = due;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  channel.close();
  return frames / ((performance.now() - began) / 1000);
})()`;

const totalOf = async (page: Page): Promise<number> => Number.parseInt((await page.locator('.hearing').getAttribute('title')) ?? '', 10);

/** Scenarios about how much a page bears. */
export const busy: readonly Scenario[] = [
  {
    name: `8 · ${perSecond} events a second for ${forS} s: the page goes on drawing, forgets nothing that it counts, and stays small`,
    isAlone: true,
    run: async ({ browser, cluster }) => {
      for (const n of [1, 2, 3]) await cluster.startAgent(`node${n}.acme.test`);
      await settledAt(cluster.api, { up: 3 });
      const { page, context, wrong } = await signedIn(browser, await cluster.link());
      await page.locator('.hearing.is-live').waitFor();
      const devtools = await devtoolsOf(page);
      const [before, began] = [await totalOf(page), await busyMs(devtools)];
      const frames = (await page.evaluate(tell)) as number;
      const busyShare = ((await busyMs(devtools)) - began) / (forS * 1_000);
      await awaited('every event is counted', async () => (await totalOf(page)) >= before + perSecond * forS);
      const heap = await heapOf(devtools);
      console.log(
        `        ${frames.toFixed(0)} frames/s (aim ${framesPerS.aim}), ${heap.toFixed(1)} MB heap (aim ${heapMb.aim}), ` +
          `main thread ${(busyShare * 100).toFixed(0)} % busy`,
      );
      if (frames < framesPerS.least) throw new Error(`only ${frames.toFixed(1)} frames a second: ${framesPerS.least} are the least`);
      if (heap > heapMb.most) throw new Error(`a heap of ${heap.toFixed(1)} MB: ${heapMb.most} are the most`);
      same('what went wrong in the page', wrong, []);
      await context.close();
    },
  },
];
