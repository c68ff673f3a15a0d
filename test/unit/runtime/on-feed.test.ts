import { beforeEach, describe, expect, it } from 'vitest';
import { Conflict, Later, Poison } from '../../../lib/core/errors.ts';
import { historyForMs } from '../../../lib/core/history.ts';
import { dayMs, plusMs } from '../../../lib/core/time.ts';
import { recorder } from '../../../lib/journal/changes.ts';
import type { Bus } from '../../../lib/ports/bus/bus.ts';
import { entryBytesMax } from '../../../lib/ports/bus/limits.ts';
import { historyPartition } from '../../../lib/ports/table/keys.ts';
import type { FeedImage, Row } from '../../../lib/ports/table/table.ts';
import type { DeadLetter } from '../../../lib/runtime/dead-letter.ts';
import { type HistoryEntry, onFeed } from '../../../lib/runtime/on-feed.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { anEvent, aRow, noon, put } from '../../../tools/support/a-row.ts';
import { aShell, committing, type TestShell } from '../../../tools/support/a-shell.ts';

let shell: TestShell;
beforeEach(() => {
  shell = aShell({ deployment: 'acme' });
});

/** Commits a row with events and gives its image, as the feed would hand it on. */
const image = async (row: Parameters<typeof aRow>[0]): Promise<FeedImage> => {
  await shell.table.commit([put(aRow(row))]);
  return shell.table.feed.at(-1)!;
};
const follow = (images: readonly FeedImage[], by: Shell = shell) => onFeed(recorder).handle(images, by);
const rowsOf = (prefix: string): Row[] => [...shell.table.rows.values()].filter((row) => row.key.pk.startsWith(prefix));
const history = async (noun: string, id: string) =>
  (await shell.table.query({ pk: historyPartition({ noun, id }), limit: 100 })).items.map((row) => row.body as HistoryEntry);

describe('a committed row', () => {
  it('has each of its events go out as a CloudEvent, named by the row and the number of the event', async () => {
    await follow([await image({ events: [anEvent(3), anEvent(4)], eventSeq: 4 })]);

    const envelope = {
      specversion: '1.0',
      source: 'muster/acme',
      type: 'node.joined',
      subject: 'node/n1',
      time: new Date(noon).toISOString(),
      dataschema: 'muster:node.joined:1',
      datacontenttype: 'application/json',
      because: 'a test says so',
    };
    expect(shell.bus.published).toEqual([
      { ...envelope, id: 'node/n1#3', eventseq: 3, data: { n: 3 } },
      { ...envelope, id: 'node/n1#4', eventseq: 4, data: { n: 4 } },
    ]);
  });

  it('says in its events who caused it, if anybody did, and nothing else about them', async () => {
    const actor = { who: 'admin:anna', key: 'k1', source: '192.0.2.7', request: 'call-1' };
    await follow([
      await image({ events: [anEvent(1)], eventSeq: 1, because: 'an operator gives it up', actor }),
      await image({ pk: 'node#n2', events: [anEvent(1)], eventSeq: 1 }),
    ]);
    expect(shell.bus.published).toMatchObject([{ because: 'an operator gives it up', who: 'admin:anna' }, { subject: 'node/n2' }]);
    expect(JSON.stringify(shell.bus.published)).not.toMatch(/k1|192\.0|call-1/);
    expect(shell.bus.published[1]).not.toHaveProperty('who');
  });

  it('comes again when the table was too busy to keep its history, and not when an earlier delivery has kept it', async () => {
    const one = await image({ events: [anEvent(3)], eventSeq: 3 });
    const busy = committing(shell, async () => {
      throw new Conflict('history', 'another is writing it');
    });

    await expect(follow([one], busy)).rejects.toThrow(Later);
    await follow([one]);
    await follow([one], busy);
    expect(await history('node', 'n1')).toHaveLength(1);
  });

  it('has each of its events in its history, with reason and cause, for 90 days and in no index', async () => {
    await follow([await image({ events: [anEvent(3), anEvent(4)], eventSeq: 4, because: 'first node-up', by: 'up-1' })]);

    const entry = { type: 'node.joined', version: 1, at: noon, because: 'first node-up', by: 'up-1' };
    expect(await history('node', 'n1')).toEqual([
      { ...entry, seq: 3, data: { n: 3 } },
      { ...entry, seq: 4, data: { n: 4 } },
    ]);
    for (const row of rowsOf('history')) {
      expect(row).toMatchObject({ expiresAt: plusMs(noon, historyForMs), events: [] });
      expect(row).not.toHaveProperty('list');
    }
  });

  it('is told apart from others whose names hold the same signs', async () => {
    await follow([await image({ pk: 'client#a%2Fb', sk: 'client', events: [anEvent(1)], eventSeq: 1 })]);
    expect(shell.bus.published[0]).toMatchObject({ id: 'client/a/b#1', subject: 'client/a/b' });
    expect(await history('client', 'a/b')).toHaveLength(1);
  });
});

describe('an image handed over again', () => {
  it('goes out with the same ids and leaves the history as it is', async () => {
    const images = [await image({ events: [anEvent(1)], eventSeq: 1 })];
    await follow(images);
    const before = rowsOf('history');
    shell.step(60_000);

    await follow(images);

    expect(shell.bus.published[1]).toEqual(shell.bus.published[0]);
    expect(rowsOf('history')).toEqual(before);
  });
});

describe('weather', () => {
  const deaf: Bus = {
    publish: async () => {
      throw new Later('bus.refused', 'the bus did not accept all');
    },
  };

  it('on the bus is thrown, so that everything comes again, and the history waits for it', async () => {
    const images = [await image({ events: [anEvent(1)], eventSeq: 1 })];
    await expect(follow(images, { ...shell, bus: deaf })).rejects.toThrow(new Later('bus.refused', 'the bus did not accept all'));
    expect(rowsOf('history')).toEqual([]);

    await follow(images);
    expect(shell.bus.published.map(({ id }) => id)).toEqual(['node/n1#1']);
    expect(await history('node', 'n1')).toHaveLength(1);
  });

  it('on the table is thrown too, and the next time fills what is missing', async () => {
    const images = [await image({ events: [anEvent(1), anEvent(2)], eventSeq: 2 })];
    const stormy = committing(shell, async () => {
      throw new Later('service.busy', 'commit: throttled');
    });
    await expect(follow(images, stormy)).rejects.toThrow(new Later('service.busy', 'commit: throttled'));
    expect(await history('node', 'n1')).toEqual([]);

    await follow(images);
    expect((await history('node', 'n1')).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('is what a fault nobody foresaw is taken for: it may be mended while the feed waits', async () => {
    const broken: Bus = {
      publish: async () => {
        throw new TypeError('access denied');
      },
    };
    await expect(follow([await image({ events: [anEvent(1)], eventSeq: 1 })], { ...shell, bus: broken })).rejects.toThrow('access denied');
    expect(rowsOf('dead')).toEqual([]);
  });
});

describe('an image that can never go out', () => {
  const picky = (): Bus => ({
    publish: async (events) => {
      if (events.some(({ subject }) => subject === 'node/n2')) throw new Poison('bus.too-large', 'an event is too large');
      await shell.bus.publish(events);
    },
  });

  it('becomes a dead row with its events, and the others go out', async () => {
    const images = [
      await image({ events: [anEvent(1)], eventSeq: 1 }),
      await image({ pk: 'node#n2', events: [anEvent(1)], eventSeq: 1 }),
      await image({ pk: 'node#n3', events: [anEvent(1)], eventSeq: 1 }),
    ];
    await follow(images, { ...shell, bus: picky() });

    expect(shell.bus.published.map(({ id }) => id)).toEqual(['node/n1#1', 'node/n3#1']);
    const { key, at, by, because, events } = images[1]!.row;
    const message = JSON.stringify({ key, at, by, because, events });
    const failure = { code: 'bus.too-large', reason: 'an event is too large', at: noon };
    expect(rowsOf('dead').map((row) => row.body as DeadLetter)).toEqual([
      {
        id: 'node#n2#node@1',
        status: 'dead',
        queue: 'feed',
        via: 'feed',
        message,
        bytes: message.length,
        sentAt: noon,
        receives: 1,
        deaths: 1,
        died: 0,
        first: failure,
        last: failure,
      },
    ]);
    expect(rowsOf('dead')[0]?.expiresAt).toBe(plusMs(noon, 14 * dayMs));
    expect(await history('node', 'n3')).toHaveLength(1);
  });

  it('is one whose event is larger than any bus takes, on a bus as it is', async () => {
    const large = { ...anEvent(1), data: { text: 'x'.repeat(entryBytesMax) } };
    await follow([
      await image({ pk: 'node#n2', events: [large], eventSeq: 1 }),
      await image({ pk: 'node#n3', events: [anEvent(1)], eventSeq: 1 }),
    ]);

    expect(shell.bus.published.map(({ id }) => id)).toEqual(['node/n3#1']);
    expect(rowsOf('dead').map((row) => row.body as DeadLetter)).toMatchObject([
      { id: 'node#n2#node@1', status: 'dead', queue: 'feed', cut: true, last: { code: 'bus.too-large' } },
    ]);
    expect(await history('node', 'n2')).toEqual([]);
    expect(await history('node', 'n3')).toHaveLength(1);
  });

  it('is named so that a path can say its name, whether or not a gateway has decoded it', async () => {
    const everybody: Bus = {
      publish: async () => {
        throw new Poison('bus.too-large', 'an event is too large');
      },
    };
    await follow([await image({ pk: 'client#a%2Fb', sk: 'client', events: [anEvent(1)], eventSeq: 1 })], { ...shell, bus: everybody });
    expect((rowsOf('dead')[0]!.body as DeadLetter).id).toBe('client#a=2Fb#client@1');
  });
});
