import { beforeEach, describe, expect, it } from 'vitest';
import { Conflict, Later, Poison } from '../../../lib/core/errors.ts';
import { hourMs, plusMs } from '../../../lib/core/time.ts';
import { recorder } from '../../../lib/journal/changes.ts';
import { type JournalEnd, JournalRow, journalEndRef, journalRef } from '../../../lib/journal/journal.ts';
import { journalAfter, journalPartition, keyOf } from '../../../lib/ports/table/keys.ts';
import { changesMax } from '../../../lib/ports/table/limits.ts';
import type { FeedImage } from '../../../lib/ports/table/table.ts';
import { stateOf } from '../../../lib/runtime/content.ts';
import { onFeed } from '../../../lib/runtime/on-feed.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { anEvent, aRow, noon, put } from '../../../tools/support/a-row.ts';
import { aShell, committing, type TestShell } from '../../../tools/support/a-shell.ts';

let shell: TestShell;
beforeEach(() => {
  shell = aShell({ deployment: 'acme' });
});

const fp = (n: number): string => n.toString(16).padStart(64, '0');
const publish = (images: readonly FeedImage[] = shell.table.feed, by: Shell = shell) => onFeed(recorder).handle(images, by);
const commit = async (row: Parameters<typeof aRow>[0], readRev = 0): Promise<FeedImage> => {
  await shell.table.commit([put(aRow(row), readRev)]);
  return shell.table.feed.at(-1)!;
};
const node = (id: string, zone: string, ...seqs: number[]) =>
  commit(
    { pk: `node#${id}`, body: { zone }, events: seqs.map(anEvent), eventSeq: seqs.at(-1)! },
    shell.table.rows.get(`node#${id}\u0000node`)?.rev,
  );
const client = (n: number, more: Parameters<typeof aRow>[0] = {}, readRev = 0) =>
  commit({ pk: `client#${fp(n)}`, sk: 'client', body: { zone: 'east' }, ...more }, readRev);
const journal = async (part: string): Promise<JournalRow[]> =>
  (await shell.table.query({ pk: journalPartition(part), ...journalAfter(0), limit: 1_000 })).items.map(({ body }) =>
    JournalRow.parse(body),
  );
const events = async (part: string): Promise<string[]> => (await journal(part)).flatMap((row) => row.events.map(({ id }) => id));
const endOf = async (part: string) => (await shell.table.read(keyOf(journalEndRef(part))))?.body as JournalEnd | undefined;

describe('the journal', () => {
  it('has a row of each batch and zone, with the events as they were published', async () => {
    await node('a', 'east', 1, 2);
    await node('b', 'west', 1);
    await publish();
    await node('a', 'east', 3);
    await publish(shell.table.feed.slice(2));

    expect((await journal('east')).map(({ n, events: all }) => [n, ...all])).toEqual([
      [1, shell.bus.published[0], shell.bus.published[1]],
      [2, shell.bus.published[3]],
    ]);
    expect(await events('west')).toEqual(['node/b#1']);
    expect(await endOf('east')).toEqual({ n: 2, at: noon });
  });

  it('has what is of no zone in a part of its own', async () => {
    await commit({ pk: 'deployment', sk: 'deployment', events: [anEvent(1)], eventSeq: 1 });
    await commit({ pk: 'zone#east', sk: 'head', events: [anEvent(1)], eventSeq: 1 });
    await commit({ pk: 'cluster#store', sk: 'process#0000000000000001#0x7200000000000001:0x1', events: [anEvent(1)], eventSeq: 1 });
    await publish();
    expect(await events('-')).toEqual(['deployment/deployment#1']);
    expect(await events('east')).toEqual(['zone/east#1']);
    expect(await events('store')).toEqual(['process/store/0x7200000000000001:0x1#1']);
  });

  it('names every client system whose row was committed, with and without events, and where it ends', async () => {
    await client(1);
    await client(2, { events: [anEvent(1)], eventSeq: 1 });
    await client(1, { gone: true }, 1);
    await node('a', 'east', 1);
    await publish();
    expect((await journal('east')).map(({ systems }) => systems)).toEqual([[fp(2), fp(1)]]);
  });

  it('can be read for a day and six hours, and its end for 30 days', async () => {
    await node('a', 'east', 1);
    await publish();
    expect((await shell.table.read(keyOf(journalRef('east', 1))))?.expiresAt).toBe(plusMs(noon, 30 * hourMs));
    shell.step(30 * hourMs);
    await node('a', 'east', 2);
    await publish(shell.table.feed.slice(1));
    expect(stateOf(await shell.table.read(keyOf(journalRef('east', 1))), shell.now())).toBeUndefined();
    expect(await endOf('east')).toMatchObject({ n: 2 });
  });
});

describe('images that are handed over again', () => {
  it('add no event, in whatever batches they come', async () => {
    const images = [await node('a', 'east', 1), await node('b', 'east', 1), await node('a', 'east', 2)];
    await publish(images.slice(0, 2));
    await publish(images);
    await publish(images);
    expect((await journal('east')).map(({ events: all }) => all.map(({ id }) => id))).toEqual([['node/a#1', 'node/b#1'], ['node/a#2']]);
  });

  it('add none either where the answer of the commit was lost', async () => {
    const images = [await node('a', 'east', 1)];
    const lossy = committing(shell, async (through, changes) => {
      await through(changes);
      throw new Later('service.busy', 'commit: no answer');
    });
    await publish(images, lossy);
    await publish(images);
    expect(await events('east')).toEqual(['node/a#1']);
  });

  it('name a client system without events again, and no other', async () => {
    const images = [await client(1), await client(2, { events: [anEvent(1)], eventSeq: 1 })];
    await publish(images);
    await publish(images);
    expect((await journal('east')).map(({ systems }) => systems)).toEqual([[fp(2), fp(1)], [fp(1)]]);
  });
});

describe('several that publish at once', () => {
  it('number their rows one after the other, and lose and repeat nothing', async () => {
    const images: FeedImage[] = [];
    for (let n = 0; n < 40; n++) images.push(await node(`n${n}`, 'east', 1));
    const shards = [0, 1, 2, 3].map((shard) => images.filter((_, n) => n % 4 === shard));
    // Each shard is handed over twice at the same time.
    await Promise.all([...shards, ...shards].map((shard) => publish(shard)));
    expect((await journal('east')).map(({ n }) => n)).toEqual(shards.map((_, n) => n + 1));
    expect(new Set(await events('east')).size).toBe(40);
    expect(await events('east')).toHaveLength(40);
  });

  it('hand a batch back when the end of the part is never free', async () => {
    const images = [await node('a', 'east', 1)];
    const busy = committing(shell, async () => {
      throw new Conflict('journal', 'another is writing it');
    });
    await expect(publish(images, busy)).rejects.toThrow(Later);
  });
});

it('cuts what is more than a commit takes', async () => {
  await node('a', 'east', ...Array.from({ length: 250 }, (_, n) => n + 1));
  await publish();
  expect((await journal('east')).map(({ events: all }) => all.length)).toEqual([changesMax - 2, changesMax - 2, 54]);
});

it('costs what the table of access patterns says', async () => {
  await node('a', 'east', 1);
  await publish();
  const { readUnits, writeUnits } = { ...shell.table.meter };
  const image = await node('b', 'east', 1);
  await publish([image]);
  // One of the units is that of the commit itself.
  expect(shell.table.meter.writeUnits - writeUnits - 1).toBe(6);
  expect(shell.table.meter.readUnits - readUnits).toBe(3);
});

it('has the row of a client system whose event can never be published', async () => {
  const image = await client(1, { events: [anEvent(1)], eventSeq: 1 });
  const picky: Shell = {
    ...shell,
    bus: {
      publish: async () => {
        throw new Poison('bus.too-large', 'an event is too large');
      },
    },
  };
  await publish([image], picky);
  expect(await journal('east')).toMatchObject([{ events: [], systems: [fp(1)] }]);
});
