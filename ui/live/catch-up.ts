import { call, type Reply } from '../api/call.ts';
import type { LiveEvent } from './event.ts';

/** A page of the journal: from a moment on, or from a cursor on. */
export type AskJournal = (query: { readonly since: string } | { readonly after: string }) => Promise<Reply<'listChanges'>>;
/** Where events go, and the time of the newest that the page has, if it has any. */
export type CatchUp = { readonly take: (events: readonly LiveEvent[]) => void; readonly newest: () => string | undefined };

/** How far back a page looks that has just been opened, or was away for longer. */
const lookBackMs = 15 * 60_000;
/** Clocks of two rows may be so far apart: a catch-up begins so much before the newest event that is known. */
const overlapMs = 10_000;
/** How many pages of 200 are read before it looks how far that went: as many events as the page remembers. */
const pagesMax = 25;
/** How often it then leaps towards now, half way at the most: 15 min become 14 s. */
const leapsMax = 6;

/** Asks the journal of this deployment. Throws a {@link Problem}. */
export const askJournal =
  (signal: AbortSignal): AskJournal =>
  (query) =>
    call('listChanges', { query: { ...query, limit: 200 }, signal });

/** Since when a page catches up, in ms since 1970. */
export function catchesUpFrom(newest: string | undefined, now: number): number {
  const back = now - lookBackMs;
  return newest === undefined ? back : Math.max(back, Date.parse(newest) - overlapMs);
}

/**
 * Takes what the journal has since the newest event that the page knows, or of the last minutes; gives the cursor of
 * what comes next. Of more than a page can show it takes the first and the last; the rest is in `muster events`. `now`
 * is the time in ms since 1970. Throws what `ask` throws.
 */
export async function catchUp(ask: AskJournal, { take, newest }: CatchUp, now: number): Promise<string> {
  let from = catchesUpFrom(newest(), now);
  for (let leaps = 0; ; leaps++) {
    const { next, more, reached } = await pages(ask, take, from);
    if (!more || leaps === leapsMax) return next;
    // At the pace of these pages the rest fits into as many more, or is nearer by half.
    from = Math.max(reached, Math.min(now - (reached - from), (reached + now) / 2));
  }
}

/** Takes the next {@link pagesMax} pages; gives where that ended, and the time of the last event in ms. */
async function pages(
  ask: AskJournal,
  take: CatchUp['take'],
  from: number,
): Promise<{ readonly next: string; readonly more: boolean; readonly reached: number }> {
  let page = await ask({ since: new Date(from).toISOString() });
  let reached = from;
  for (let n = 1; ; n++) {
    take(page.items);
    reached = Math.max(reached, Date.parse(page.items.at(-1)?.time ?? '') || 0);
    const { next, more } = page;
    if (!more || n === pagesMax) return { next, more, reached };
    page = await ask({ after: next });
  }
}
