import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AskJournal, catchesUpFrom, catchUp } from '../../ui/live/catch-up.ts';
import type { LiveEvent } from '../../ui/live/event.ts';
import { EventStore } from '../../ui/live/store.ts';
import { told } from './events.ts';

const start = Date.UTC(2026, 0, 1);

/** A journal of these events, in order, and how many pages of it were asked for. */
function aJournal(events: readonly LiveEvent[]): { readonly ask: AskJournal; readonly asked: () => number } {
  let asked = 0;
  const ask: AskJournal = (query) => {
    asked++;
    const at = 'after' in query ? Number(query.after) : events.findIndex(({ time }) => time >= query.since);
    const from = at < 0 ? events.length : at;
    const items = events.slice(from, from + 200);
    return Promise.resolve({ items: [...items], next: String(from + items.length), more: from + items.length < events.length });
  };
  return { ask, asked: () => asked };
}

const every = (ms: number, count: number): readonly LiveEvent[] =>
  Array.from({ length: count }, (_, n) => told((n * ms) / 1_000, 'client.assigned', { id: String(n) }));

describe('a page that catches up', () => {
  it('has every event since the newest that it knew, with some that it had', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 900 }), async (count, knew) => {
        const events = every(1_000, count);
        const taken: LiveEvent[] = [];
        const ear = { take: (more: readonly LiveEvent[]) => void taken.push(...more), newest: () => events[knew]?.time };
        const next = await catchUp(aJournal(events).ask, ear, start + 900_000);
        expect(taken).toEqual(events.slice(events[knew] ? Math.max(0, knew - 10) : 0));
        expect(next).toBe(String(count));
      }),
      { numRuns: 30 },
    );
  });

  it('of more than it can show takes the newest without a hole, and asks for a bounded number of pages', async () => {
    const events = every(5, 180_000);
    const { ask, asked } = aJournal(events);
    const store = new EventStore();
    await catchUp(ask, { take: (more) => void store.take(more), newest: () => undefined }, start + 900_000);
    expect(store.events.slice(-4_900)).toEqual(events.slice(-4_900));
    expect(asked()).toBeLessThanOrEqual(7 * 25);
  });

  it('looks no further back than a quarter of an hour, however long it was away', () => {
    const day = start + 86_400_000;
    expect(catchesUpFrom(new Date(start).toISOString(), day)).toBe(day - 900_000);
    expect(catchesUpFrom(new Date(day - 60_000).toISOString(), day)).toBe(day - 70_000);
    expect(catchesUpFrom(undefined, day)).toBe(day - 900_000);
  });
});
