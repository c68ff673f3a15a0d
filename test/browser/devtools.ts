import type { CDPSession, Page } from 'playwright-core';

/** A session of Chromium's developer tools with a page, which counts what its main thread does. */
export async function devtoolsOf(page: Page): Promise<CDPSession> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  return devtools;
}

/** How much the page's scripts hold, in MB, once what they hold no more is collected. */
export async function heapOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  return (await metricOf(devtools, 'JSHeapUsedSize')) / 1_048_576;
}

/** How long the main thread of the page has worked since it was opened, in ms. */
export const busyMs = async (devtools: CDPSession): Promise<number> => (await metricOf(devtools, 'TaskDuration')) * 1_000;

async function metricOf(devtools: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  const found = metrics.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`Chromium does not measure ${wanted}`);
  return found.value;
}

/** How long each frame of a page took, and each task that held its main thread for more than 50 ms; all in ms. */
export type Pace = { readonly frames: readonly number[]; readonly tasks: readonly number[] };

/** Has a page record its pace, as long as it is not loaded anew. */
export const recordPace = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const pace = { frames: [], tasks: [] };
    let last = performance.now();
    const frame = (now) => { pace.frames.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
    const heard = new PerformanceObserver((list) => pace.tasks.push(...list.getEntries().map(({ duration }) => duration)));
    heard.observe({ type: 'longtask' });
    window.checkedPace = pace;
  })()`);

/** What a page has recorded since this was asked before. */
export const paceOf = (page: Page): Promise<Pace> =>
  page.evaluate('({ frames: window.checkedPace.frames.splice(0), tasks: window.checkedPace.tasks.splice(0) })');

/** The value below which this share of all values is; 0 of none. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** A pace in words: the frames, the slowest twentieth of them, and the long tasks. */
export const paceText = ({ frames, tasks }: Pace): string =>
  `frames of ${quantile(frames, 0.5).toFixed(0)} ms, p95 ${quantile(frames, 0.95).toFixed(0)} ms; ` +
  (tasks.length === 0 ? 'no long task' : `${tasks.length} tasks over 50 ms, the longest ${Math.max(...tasks).toFixed(0)} ms`);
