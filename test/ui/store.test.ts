import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStore } from '../../ui/live/store.ts';
import { told } from './events.ts';

describe('the events of a page', () => {
  it('are there once, however often they come, and in the order of their time', () => {
    const list = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 80 });
    fc.assert(
      fc.property(fc.array(list, { maxLength: 8 }), (batches) => {
        const store = new EventStore();
        const fresh = batches.flatMap((batch) => store.take(batch.map((at) => told(at, 'node.lost'))));
        const seconds = [...new Set(batches.flat())].sort((a, b) => a - b);
        expect(store.events.map(({ id }) => id)).toEqual(seconds.map((at) => `node/n1#${at}`));
        expect(fresh).toHaveLength(seconds.length);
        expect(store.total).toBe(seconds.length);
      }),
    );
  });

  it('are another list after each change, and the same one without', () => {
    const store = new EventStore();
    store.take([told(1, 'node.lost')]);
    const before = store.events;
    store.take([told(1, 'node.lost')]);
    expect(store.events).toBe(before);
    store.take([told(2, 'node.lost')]);
    expect(store.events).not.toBe(before);
  });

  it('are the last 5,000, and those of before are known again', () => {
    const store = new EventStore();
    const all = Array.from({ length: 6_000 }, (_, at) => told(at, 'node.lost'));
    store.take(all);
    expect(store.events).toHaveLength(5_000);
    expect(store.take(all.slice(0, 10))).toEqual([]);
  });

  it('name the place in the stream of the newest that came by it', () => {
    const store = new EventStore();
    expect(store.place).toBeUndefined();
    store.take([told(1, 'node.lost', { place: '7.0' }), told(2, 'node.lost')]);
    expect(store.place).toBe('7.0');
    expect(store.newest).toBe(told(2, 'node.lost').time);
  });
});
