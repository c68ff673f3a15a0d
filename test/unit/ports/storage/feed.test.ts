import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { plusMs } from '../../../../lib/core/time.ts';
import type { Storage } from '../../../../lib/ports/storage/storage.ts';
import { anEvent, aRow, noon, put } from '../../../../tools/support/a-row.ts';
import { aStateFolder, type StateFolder } from '../../../support/a-state-file.ts';

let folder: StateFolder;
let storage: Storage;
beforeEach(() => {
  folder = aStateFolder();
  storage = folder.open();
});
afterEach(() => folder.remove());

/** Commits one emitting row a millisecond, from noon on. */
const commitFive = async (): Promise<void> => {
  for (let n = 0; n < 5; n++)
    await storage.table.commit([put(aRow({ at: plusMs(noon, n), events: [anEvent(n + 1)], eventSeq: n + 1 }), n)]);
};
const offsets = async (after: string, limit = 10): Promise<string[]> => (await storage.feed.read(after, limit)).map(({ offset }) => offset);

describe('the feed of a state file', () => {
  test('is read from any offset on, as much as asked for', async () => {
    await commitFive();
    expect(await offsets('0')).toEqual(['1', '2', '3', '4', '5']);
    expect(await offsets('2', 2)).toEqual(['3', '4']);
    expect(await offsets('5')).toEqual([]);
    expect((await storage.feed.read('1', 1))[0]!.row).toMatchObject({ rev: 2, eventSeq: 2 });
  });

  test('remembers how far each consumer has come', async () => {
    expect(await storage.feed.position('publish')).toBe('0');
    await storage.feed.moveTo('publish', '4');
    await storage.feed.moveTo('publish', '2');
    expect([await storage.feed.position('publish'), await storage.feed.position('other')]).toEqual(['2', '0']);
  });

  test('tells who watches once a commit has added to it, and only then', async () => {
    let told = 0;
    const unwatch = storage.feed.watch(() => {
      told += 1;
    });
    await storage.table.commit([put(aRow({ pk: 'silent' }))]);
    await Promise.allSettled([storage.table.commit([put(aRow({ pk: 'late', events: [anEvent(1)], eventSeq: 1 }), 7)])]);
    expect(told).toBe(0);
    await commitFive();
    expect(told).toBe(5);
    unwatch();
    await storage.table.commit([put(aRow({ events: [anEvent(6)], eventSeq: 6 }), 5)]);
    expect(told).toBe(5);
  });

  test('is trimmed of what is old and done with by every consumer, and by none if there is none', async () => {
    await commitFive();
    expect(await storage.feed.trim(plusMs(noon, 99))).toBe(0);
    await storage.feed.moveTo('publish', '4');
    await storage.feed.moveTo('audit', '3');
    expect(await storage.feed.trim(plusMs(noon, 1))).toBe(1);
    expect(await offsets('0')).toEqual(['2', '3', '4', '5']);
    expect(await storage.feed.trim(plusMs(noon, 99), 1)).toBe(1);
    expect(await storage.feed.trim(plusMs(noon, 99))).toBe(1);
    expect(await offsets('0')).toEqual(['4', '5']);
  });

  test('never uses an offset again, also when all of it was trimmed', async () => {
    await commitFive();
    await storage.feed.moveTo('publish', '5');
    await storage.feed.trim(plusMs(noon, 99));
    expect(await storage.feed.last()).toBe('5');
    storage.close();
    storage = folder.open();
    await storage.table.commit([put(aRow({ events: [anEvent(6)], eventSeq: 6 }), 5)]);
    expect(await offsets('0')).toEqual(['6']);
  });
});
