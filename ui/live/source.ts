import { call, Problem, read, send } from '../api/call.ts';
import type { LiveEvent } from './event.ts';
import { MessageReader } from './sse.ts';

/** How the page hears of events: not yet, as they come, every few seconds, not at the moment, or not any more. */
export type Hearing = 'connecting' | 'live' | 'polling' | 'broken' | 'signed-out';

/** Where events go, what is heard of them, and what is known already. */
export type Ear = {
  readonly take: (events: readonly LiveEvent[]) => void;
  readonly hear: (hearing: Hearing) => void;
  /** The time of the newest event that the page has; undefined when it has none. */
  readonly newest: () => string | undefined;
  /** Its place in the stream, if one came by it. */
  readonly place: () => string | undefined;
};

/** How far back a page that has just been opened looks. */
const lookBackMs = 15 * 60_000;
/** Clocks of two rows may be so far apart: a catch-up begins so much before the newest event that is known. */
const overlapMs = 10_000;
/** The stream says that it is there every 15 s at the least: silence for this long means that it is not. */
const silenceMs = 40_000;
/** How often a deployment without a stream is asked. */
const pollMs = 3_000;
const retryMs = { least: 500, most: 10_000 } as const;

/**
 * Hears events until `signal` aborts: by the stream of this host, or by asking for changes where there is none. A page
 * that was cut off first catches up from the journal: its events overlap, and their ids tell repeats.
 */
export async function listen(ear: Ear, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      const hasStream = await stream(ear, signal, () => {
        failures = 0;
      });
      if (!hasStream) return await poll(ear, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (isSignedOut(error)) return ear.hear('signed-out');
      // A stream breaks when its host restarts, or a proxy gets tired of it: it is opened again, later each time.
      ear.hear('broken');
    }
    await pause(Math.min(retryMs.most, retryMs.least * 2 ** failures++), signal);
  }
}

const isSignedOut = (error: unknown): boolean => error instanceof Problem && error.status === 401;

/** Reads the stream until it ends; gives false when this deployment has none. */
async function stream(ear: Ear, signal: AbortSignal, opened: () => void): Promise<boolean> {
  const cut = new AbortController();
  const either = AbortSignal.any([signal, cut.signal]);
  const place = ear.place();
  const response = await send('/api/v1/events', { headers: place === undefined ? {} : { 'last-event-id': place }, signal: either });
  if (response.status === 404) return false;
  if (!response.ok) await read(response);
  // The stream is open before the journal is read: what happens meanwhile is in one of them, or in both.
  await catchUp(ear, either);
  opened();
  ear.hear('live');
  let silence = setTimeout(() => cut.abort(), silenceMs);
  const heard: LiveEvent[] = [];
  const reader = new MessageReader(({ id, data }) => {
    if (data !== undefined) heard.push({ ...(JSON.parse(data) as LiveEvent), ...(id !== undefined && { place: id }) });
  });
  try {
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      clearTimeout(silence);
      silence = setTimeout(() => cut.abort(), silenceMs);
      reader.take(text);
      ear.take(heard.splice(0));
    }
  } finally {
    clearTimeout(silence);
  }
  return true;
}

/**
 * Takes what the journal has since the newest event that the page knows, or of the last minutes; gives the cursor of
 * what comes next. Throws a {@link Problem}.
 */
export async function catchUp(ear: Pick<Ear, 'take' | 'newest'>, signal: AbortSignal): Promise<string> {
  const newest = ear.newest();
  const from = newest === undefined ? Date.now() - lookBackMs : Date.parse(newest) - overlapMs;
  let page = await call('listChanges', { query: { since: new Date(from).toISOString(), limit: 200 }, signal });
  for (let pages = 1; ; pages++) {
    ear.take(page.items);
    // Of a very busy quarter of an hour the page takes what it can show; the rest is in `muster events`.
    if (!page.more || (newest === undefined && pages >= 25)) return page.next;
    page = await call('listChanges', { query: { after: page.next, limit: 200 }, signal });
  }
}

/** Asks for changes every few seconds, as long as anybody can see the page. */
async function poll(ear: Ear, signal: AbortSignal): Promise<void> {
  for (let cursor: string | undefined; !signal.aborted; ) {
    try {
      if (cursor === undefined) cursor = await catchUp(ear, signal);
      const page = await call('listChanges', { query: { after: cursor, limit: 200 }, signal });
      ear.take(page.items);
      ear.hear('polling');
      cursor = page.next;
      if (page.more) continue;
    } catch (error) {
      if (signal.aborted) return;
      if (isSignedOut(error)) return ear.hear('signed-out');
      if (error instanceof Problem && error.type === 'changes-expired') cursor = undefined;
      ear.hear('broken');
    }
    await pause(pollMs, signal);
    await visible(signal);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Resolves once the page can be seen. */
const visible = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (!document.hidden || signal.aborted) return resolve();
    const look = (): void => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', () => resolve());
  });
