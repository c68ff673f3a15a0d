import { Problem, read, send } from '../api/call.ts';
import { askJournal, type CatchUp, catchesUpFrom, catchUp } from './catch-up.ts';
import type { LiveEvent } from './event.ts';
import { pause } from './pause.ts';
import { MessageReader } from './sse.ts';

/** How the page hears of events: not yet, as they come, every few seconds, not at the moment, or not any more. */
export type Hearing = 'connecting' | 'live' | 'polling' | 'broken' | 'signed-out';

/** Where events go (none is a sign of life), what is heard of them, and what is known already. */
export type Ear = CatchUp & {
  readonly hear: (hearing: Hearing) => void;
  /** Its place in the stream, if one came by it. */
  readonly place: () => string | undefined;
};

/** The stream says that it is there every 15 s at the least: silence for this long means that it is not. */
const silenceMs = 40_000;
/** How often a deployment without a stream is asked. */
const pollMs = 3_000;
const retryMs = { least: 500, most: 10_000 } as const;

/**
 * Hears events until `signal` aborts, by the stream of this host, or by asking for changes where there is none. A page
 * that was cut off first catches up from the journal: its events overlap, and their ids tell repeats. Gives `unseen`
 * when nobody can see a page that has to ask, so that another tab may, and `over` when there is no more to hear.
 */
export async function listen(ear: Ear, signal: AbortSignal): Promise<'unseen' | 'over'> {
  for (let failures = 0; !signal.aborted; ) {
    const began = Date.now();
    try {
      if (!(await stream(ear, signal))) return await poll(ear, signal);
    } catch (error) {
      if (signal.aborted) break;
      if (isSignedOut(error)) return signedOut(ear);
      // A stream breaks when its host restarts, or a proxy gets tired of it: it is opened again, later each time.
      ear.hear('broken');
    }
    // One that lasted is opened again soon; one that ends as soon as it is open is not.
    if (Date.now() - began > retryMs.most) failures = 0;
    await pause(Math.min(retryMs.most, retryMs.least * 2 ** failures++), signal);
  }
  return 'over';
}

const isSignedOut = (error: unknown): boolean => error instanceof Problem && error.status === 401;

function signedOut({ hear }: Ear): 'over' {
  hear('signed-out');
  return 'over';
}

/** Reads the stream until it ends; gives false when this deployment has none. Nothing of it is left open. */
async function stream(ear: Ear, signal: AbortSignal): Promise<boolean> {
  const cut = new AbortController();
  let silence: ReturnType<typeof setTimeout> | undefined;
  const isThere = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => cut.abort(), silenceMs);
  };
  isThere();
  try {
    return await heard(ear, AbortSignal.any([signal, cut.signal]), isThere);
  } finally {
    clearTimeout(silence);
    cut.abort();
  }
}

async function heard(ear: Ear, signal: AbortSignal, isThere: () => void): Promise<boolean> {
  const response = await send('/api/v1/events', { headers: resumed(ear), signal });
  if (response.status === 404) return false;
  if (!response.ok) await read(response);
  const take = (events: readonly LiveEvent[]): void => {
    isThere();
    ear.take(events);
  };
  // The stream is open before the journal is read: what happens meanwhile is in one of them, or in both.
  await catchUp(askJournal(signal), { take, newest: ear.newest }, Date.now());
  ear.hear('live');
  const events: LiveEvent[] = [];
  const reader = new MessageReader(({ id, data }) => {
    if (data !== undefined) events.push({ ...(JSON.parse(data) as LiveEvent), ...(id !== undefined && { place: id }) });
  });
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    reader.take(text);
    take(events.splice(0));
  }
  return true;
}

/** Names the last place to the stream, unless the page was away for longer than it catches up. */
function resumed({ place, newest }: Ear): Record<string, string> {
  const [at, time] = [place(), newest()];
  const isFresh = time !== undefined && Date.parse(time) > catchesUpFrom(undefined, Date.now());
  return at !== undefined && isFresh ? { 'last-event-id': at } : {};
}

/** Asks for changes every few seconds, as long as anybody can see the page. */
async function poll(ear: Ear, signal: AbortSignal): Promise<'unseen' | 'over'> {
  for (let cursor: string | undefined; !signal.aborted; ) {
    try {
      cursor ??= await catchUp(askJournal(signal), ear, Date.now());
      const page = await askJournal(signal)({ after: cursor });
      ear.take(page.items);
      ear.hear('polling');
      cursor = page.next;
      if (page.more) continue;
    } catch (error) {
      if (signal.aborted) break;
      if (isSignedOut(error)) return signedOut(ear);
      if (error instanceof Problem && error.type === 'changes-expired') cursor = undefined;
      ear.hear('broken');
    }
    await pause(pollMs, signal);
    if (document.hidden) return 'unseen';
  }
  return 'over';
}
