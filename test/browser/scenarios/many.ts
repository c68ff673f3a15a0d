import type { Page } from 'playwright-core';
import { devtoolsOf, heapOf, type Pace, paceOf, paceText, quantile, recordPace } from '../devtools.ts';
import { awaited, type Scenario, same, signedIn } from '../scenario.ts';
import { nameOf, seeded, seenStride } from '../seeded.ts';

/** How many client systems there are: as the design demands, and as many as a check of every push has time for. */
const clientsOf = (isWhole: boolean): number => (isWhole ? 100_000 : 10_000);

/*
 * What is aimed at on an idle machine, and what fails anywhere: a check that runs beside others says nothing about the
 * last millisecond.
 */
const frameP95Ms = { aim: 33, most: 150 } as const;
const viewMs = { aim: 150, most: 1_500 } as const;
const heapMb = { aim: 40, most: 80 } as const;

/** Rows that may be in the document at once: what is seen of the list, and some above and below. */
const rowsMost = 60;
const wheelS = 5;

/** What a walk through the list has seen: rows that do not belong where they are, and the most rows at once. */
type Walk = { readonly wrong: readonly string[]; readonly most: number; readonly seen: number };

/** The order of a list: the number of each client system is that of the one before and a stride more, in a circle. */
type InOrder = { readonly clients: number; readonly stride: number };

/**
 * Scrolls from the top of the list until each of so many rows was in the document, and compares the name of each with
 * the one that belongs there: a row that is there twice, or is missing, moves all behind it. Ends early when the list
 * gets no further for 20 s.
 */
const walked = (page: Page, rows: number, { clients, stride }: InOrder): Promise<Walk> =>
  page.evaluate(`(async () => {
    const nameAt = (at) => 'm' + String((at * ${stride}) % ${clients}).padStart(6, '0') + '.acme.test';
    const box = document.querySelector('.systems-list');
    const seen = new Uint8Array(${rows});
    const wrong = [];
    let [next, most, movedAt] = [0, 0, performance.now()];
    const look = (row) => {
      const at = Number(row.getAttribute('aria-rowindex')) - 2;
      if (at >= ${rows} || row.matches('.is-awaited')) return;
      const name = row.querySelector('.name').title;
      if (name !== nameAt(at) && wrong.length < 5) wrong.push(name + ' is row ' + at + ', where ' + nameAt(at) + ' belongs');
      seen[at] = 1;
    };
    box.scrollTop = 0;
    while (next < ${rows} && performance.now() - movedAt < 20_000) {
      await new Promise(requestAnimationFrame);
      const shown = [...box.querySelectorAll('tbody tr')];
      most = Math.max(most, shown.length);
      for (const row of shown) look(row);
      for (; next < ${rows} && seen[next]; next++) movedAt = performance.now();
      if (shown.length > 0) box.scrollTop = next * shown[0].offsetHeight;
    }
    return { wrong, most, seen: next };
  })()`);

/** Walks through a list, and throws unless each row was there, once, in its place, and few at a time. */
async function walk(page: Page, what: string, rows: number, inOrder: InOrder): Promise<void> {
  const { wrong, most, seen } = await walked(page, rows, inOrder);
  same(`${what}: rows that do not belong where they are`, wrong, []);
  same(`${what}: rows that were there`, seen, rows);
  if (most > rowsMost) throw new Error(`${what}: ${most} rows were in the document at once: ${rowsMost} are the most`);
}

/** Pages that may be asked for while the list is dragged to and fro: those where it rests, and some on the way. */
const draggedMost = 30;

/** The wheel is turned as fast as a hand can for some seconds; gives the pace of the page meanwhile. */
async function wheeled(page: Page): Promise<Pace> {
  await page.locator('.systems-list').hover();
  await paceOf(page);
  for (const until = Date.now() + wheelS * 1_000; Date.now() < until; ) {
    await page.mouse.wheel(0, 240);
    await page.waitForTimeout(16);
  }
  return paceOf(page);
}

/** Drags the list to and fro as by its scroll bar, sixty frames long, and lets go at a row; gives when it is there. */
const dragged = (page: Page, to: number): Promise<number> =>
  page.evaluate(`(async () => {
    const box = document.querySelector('.systems-list');
    const height = box.querySelector('tbody tr').offsetHeight;
    for (let n = 0; n < 60; n++) {
      box.scrollTop = ((n * 7_919) % 1_000) / 1_000 * box.scrollHeight;
      await new Promise(requestAnimationFrame);
    }
    box.scrollTop = ${to} * height;
    const began = performance.now();
    const isThere = () => box.querySelector('#system-${to}') !== null;
    while (!isThere() && performance.now() - began < 20_000) await new Promise(requestAnimationFrame);
    return performance.now() - began;
  })()`);

/** Goes to another view and back; gives how long after the press the list was drawn with its rows, in ms. */
const cameBack = (page: Page): Promise<number> =>
  page.evaluate(`(async () => {
    const link = (text) => [...document.querySelectorAll('nav a')].find((one) => one.textContent.includes(text));
    const until = async (holds) => { while (!holds()) await new Promise(requestAnimationFrame); };
    link('Overview').click();
    await until(() => document.querySelector('.systems') === null);
    await new Promise((resolve) => setTimeout(resolve, 700));
    const began = performance.now();
    link('Systems').click();
    await until(() => document.querySelector('tbody .system:not(.is-awaited)') !== null);
    return performance.now() - began;
  })()`);

/** How many pages of lists were asked for, and how many of these nobody waited for any more. */
function askedOf(page: Page): { asked: number; cancelled: number } {
  const counts = { asked: 0, cancelled: 0 };
  const isPage = (url: string): boolean => /\/systems\/find\?.*limit=100/.test(url);
  page.on('request', (request) => void (isPage(request.url()) && counts.asked++));
  page.on('requestfailed', (request) => void (isPage(request.url()) && counts.cancelled++));
  return counts;
}

/** Throws for a figure that is worse than anything that another program's load explains. */
function atMost(what: string, { most }: { readonly most: number }, seen: number): void {
  if (seen > most) throw new Error(`${what} is ${seen.toFixed(0)}: ${most} is the most`);
}

const say = (text: string): void => console.log(`        ${text}`);

/** Scenarios about a deployment with as many client systems as the design demands. */
export const many: readonly Scenario[] = [
  {
    name: '8 · very many client systems: every row is there once and in order, one is found, and the page stays quick and small',
    isAlone: true,
    seed: (home, isWhole) => seeded(home, clientsOf(isWhole)),
    run: async ({ browser, cluster, isWhole }) => {
      const clients = clientsOf(isWhole);
      const { page, context, wrong } = await signedIn(browser, await cluster.link());
      const devtools = await devtoolsOf(page);
      const counts = askedOf(page);
      const began = Date.now();
      await page.goto(`${cluster.url}/ui/systems`);
      await page.getByText(`${clients.toLocaleString('en-US')} client systems`).waitFor({ timeout: 120_000 });
      await page.locator('#system-0').waitFor();
      say(`${clients.toLocaleString('en-US')} client systems; the first list came after ${((Date.now() - began) / 1_000).toFixed(1)} s`);
      await recordPace(page);

      const scrolling = await wheeled(page);
      say(`the wheel: ${paceText(scrolling)} (aim ${frameP95Ms.aim})`);
      const walking = Date.now();
      await walk(page, 'by name', clients, { clients, stride: 1 });
      say(`every row was seen in ${((Date.now() - walking) / 1_000).toFixed(0)} s: ${paceText(await paceOf(page))}`);
      const heap = await heapOf(devtools);
      const middle = Math.floor(clients / 2) + 50;
      const before = { ...counts };
      const arrived = await dragged(page, middle);
      same('the row at which the list was let go', await page.locator(`#system-${middle} .name`).getAttribute('title'), nameOf(middle));
      const asked = counts.asked - before.asked;
      if (asked > draggedMost) throw new Error(`${asked} pages were asked for as the list was dragged: ${draggedMost} are the most`);
      say(
        `dragged to and fro, its rows were there ${arrived.toFixed(0)} ms later: ${asked} pages were asked for, ` +
          `${counts.cancelled - before.cancelled} of them in vain; ${paceText(await paceOf(page))}`,
      );
      await finds(page, clients);
      await page.getByRole('button', { name: 'Seen' }).click();
      const second = nameOf(seenStride % clients);
      await awaited('the newest first', async () => (await page.locator('#system-1 .name').getAttribute('title')) === second);
      await walk(page, 'the newest first', 350, { clients, stride: seenStride });
      const back = await cameBack(page);
      say(
        `a heap of ${heap.toFixed(1)} MB behind the last row (aim ${heapMb.aim}), back in the list after ${back.toFixed(0)} ms (aim ${viewMs.aim})`,
      );
      atMost('the slowest twentieth of frames, in ms,', frameP95Ms, quantile(scrolling.frames, 0.95));
      atMost('the heap, in MB,', heapMb, heap);
      atMost('the change of view, in ms,', viewMs, back);
      same('what went wrong', wrong, []);
      await context.close();
    },
  },
];

/** Finds one by its name, and then all again. */
async function finds(page: Page, clients: number): Promise<void> {
  const name = nameOf(clients - 77);
  const began = Date.now();
  await page.keyboard.press('/');
  await page.locator('#query:focus').waitFor();
  await page.keyboard.type(name);
  await page.getByText('1 client system', { exact: true }).waitFor();
  await page.locator('#system-0', { hasText: name }).waitFor();
  say(`one was found by its name ${Date.now() - began} ms after the first key`);
  await page.locator('#query').fill('');
  await page.getByText(`${clients.toLocaleString('en-US')} client systems`).waitFor();
  await page.locator('#system-20').waitFor();
}
