import { isDeepStrictEqual } from 'node:util';
import type { Envelope } from '../../lib/ports/bus/bus.ts';
import { readEvents, type StreamReader } from '../support/event-stream.ts';
import { type Drive, pause } from './drivers.ts';

/** What somebody who follows the stream has: every event once, and what was wrong with the rest. */
export type Followed = {
  /** By subject and number. */
  readonly events: Map<string, Map<number, Envelope>>;
  readonly byType: Record<string, number>;
  /** Events that came again, as they were. */
  repeats: number;
  /** What came again as something else, under an id that is another event's, or from behind. */
  readonly faults: string[];
};

export type Subscriber = {
  /** Everything that has come until now. */
  seen(): Followed;
  /** Resolves once it follows no more. */
  stop(): Promise<void>;
};

/** So many events before its last one it asks again, as a consumer does that notes its place now and then. */
const overlap = 100;
const againAfterMs = 50;

/**
 * Follows the stream of events from its beginning on, over every end of the host, each time from a little before where
 * it was.
 */
export function subscriberOf(url: string, { over: playEnds }: Pick<Drive, 'over'>): Subscriber {
  const enough = new AbortController();
  const over = AbortSignal.any([playEnds, enough.signal]);
  const seen: Followed = { events: new Map(), byType: {}, repeats: 0, faults: [] };
  let offsets: string[] = ['0.0'];
  let reader: StreamReader | undefined;
  let taken = 0;
  const take = (): void => {
    const fresh = reader?.received.slice(taken) ?? [];
    taken += fresh.length;
    for (const { event } of fresh) note(seen, event);
    offsets = [...offsets, ...fresh.map(({ id }) => id)].slice(-overlap);
  };
  const follow = async (): Promise<void> => {
    do {
      reader = await readEvents(url, offsets[0]).catch(() => undefined);
      taken = 0;
      if (over.aborted) reader?.close();
      // A host that is killed cuts the stream off in the middle of a word.
      await reader?.ended.catch(() => undefined);
      take();
    } while (await pause(againAfterMs, { over }));
  };
  const following = follow();
  return {
    seen: () => {
      take();
      return seen;
    },
    stop: async () => {
      enough.abort();
      reader?.close();
      await following;
    },
  };
}

function note(seen: Followed, event: Envelope): void {
  const { id, subject, eventseq } = event;
  if (id !== `${subject}#${eventseq}`) seen.faults.push(`${id} is number ${eventseq} of ${subject}`);
  const own = seen.events.get(subject) ?? new Map<number, Envelope>();
  seen.events.set(subject, own);
  const before = own.get(eventseq);
  if (!before) {
    own.set(eventseq, event);
    seen.byType[event.type] = (seen.byType[event.type] ?? 0) + 1;
  } else if (isDeepStrictEqual(before, event)) seen.repeats += 1;
  else seen.faults.push(`${id} was ${before.type} and came again as ${event.type}: ${JSON.stringify(before)}, ${JSON.stringify(event)}`);
}
