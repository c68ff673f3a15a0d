import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFile } from '../../../../lib/ports/storage/file.ts';
import { openStorage } from '../../../../lib/ports/storage/storage.ts';
import { anEvent, aRow, noon, put } from '../../../../tools/support/a-row.ts';
import { aStateFolder, type StateFolder } from '../../../support/a-state-file.ts';

let folder: StateFolder;
beforeEach(() => {
  folder = aStateFolder();
});
afterEach(() => folder.remove());

const row = (pk: string) => aRow({ pk });
const key = (pk: string) => row(pk).key;

/** A state file whose turn of the event loop ends when the test says so. */
function stepped() {
  const turns: (() => void)[] = [];
  const storage = openStorage({ file: folder.file, now: () => noon, defer: (run) => turns.push(run) });
  return { ...storage, turns, endTurn: () => turns.shift()?.() };
}

describe('commits of one turn of the event loop', () => {
  test('share one transaction, and none is answered or seen before it is durable', async () => {
    const { table, turns, endTurn, close } = stepped();
    const answered: string[] = [];
    const commits = ['a', 'b', 'c'].map((pk) => table.commit([put(row(pk))]).then(() => answered.push(pk)));
    await Promise.resolve();
    expect(turns).toHaveLength(1);
    expect(await table.read(key('a'))).toBeUndefined();
    expect(answered).toEqual([]);
    endTurn();
    await Promise.all(commits);
    expect(answered).toEqual(['a', 'b', 'c']);
    expect(await table.read(key('a'))).toMatchObject({ rev: 1 });
    close();
  });

  test('do not fail together: who conflicts is refused alone and leaves nothing behind', async () => {
    const { table, queue, feed, endTurn, close } = stepped();
    const emitting = aRow({ pk: 'c', events: [anEvent(1)], eventSeq: 1 });
    const commits = [
      table.commit([put(row('a'))]),
      table.commit([put(emitting), put(row('a'))]),
      queue.send('reports', 'a report'),
      table.commit([put(row('d'))]),
    ];
    endTurn();
    expect((await Promise.allSettled(commits)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect((await table.readMany(['a', 'c', 'd'].map(key))).map((found) => found?.rev)).toEqual([1, undefined, 1]);
    expect(await feed.read('0', 10)).toEqual([]);
    expect(await queue.depth('reports')).toMatchObject({ messages: 1 });
    close();
  });

  test('fail together when the file fails, with nothing stored, and the file goes on', async () => {
    const { table, endTurn, close } = stepped();
    // A second connection cannot get at the file; a row that breaks its layout is what is left to make a transaction
    // fail.
    const broken = { ...row('b'), at: undefined as never, events: [anEvent(1)], eventSeq: 1 };
    const commits = [table.commit([put(row('a'))]), table.commit([put(broken)])];
    endTurn();
    const results = await Promise.allSettled(commits);
    expect(results).toMatchObject([0, 1].map(() => ({ status: 'rejected', reason: { code: 'state.failed', retry: 'later' } })));
    expect(table.meter).toMatchObject({ writeUnits: 0, rowsWritten: 0 });
    const next = table.commit([put(row('a'))]);
    endTurn();
    await next;
    expect((await table.readMany(['a', 'b'].map(key))).map((found) => found?.rev)).toEqual([1, undefined]);
    close();
  });

  test('that still wait are committed when the file is closed, and later ones are refused', async () => {
    const { table, close } = stepped();
    const waiting = table.commit([put(row('a'))]);
    await Promise.resolve();
    close();
    await waiting;
    await expect(table.commit([put(row('b'))])).rejects.toMatchObject({ code: 'state.closed', retry: 'later' });
    expect(await folder.open().table.read(key('a'))).toMatchObject({ rev: 1 });
  });
});

describe('a state file', () => {
  test('waits for the disk with every commit, and is locked for one process', () => {
    const db = openFile(folder.file);
    const settings = ['journal_mode', 'synchronous', 'locking_mode'].map((name) => Object.values(db.prepare(`PRAGMA ${name}`).get()!)[0]);
    // 2 is FULL: in a log that is written ahead, NORMAL (1) would lose the last commits with the power.
    expect(settings).toEqual(['wal', 2, 'exclusive']);
    db.close();
  });

  test('is given back as it was left', async () => {
    const first = folder.open();
    await first.table.commit([put(aRow({ events: [anEvent(1)], eventSeq: 1 }))]);
    await first.queue.send('reports', 'a report');
    await first.feed.moveTo('publish', '1');
    first.close();
    const { table, queue, feed } = folder.open();
    expect(await table.read(aRow().key)).toMatchObject({ rev: 1 });
    expect(await queue.receive('reports', 1, 1)).toMatchObject([{ body: 'a report', receives: 1 }]);
    expect([await feed.position('publish'), await feed.last()]).toEqual(['1', '1']);
  });

  test('of the first layout is brought up to ours, with what it holds', async () => {
    const old = new DatabaseSync(folder.file);
    old.exec(`CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, body TEXT NOT NULL, via TEXT NOT NULL,
      sentAt INTEGER NOT NULL, visibleAt INTEGER NOT NULL, receives INTEGER NOT NULL);
      INSERT INTO messages (queue, body, via, sentAt, visibleAt, receives) VALUES ('reports', 'old', 'bus', 1, 1, 0); PRAGMA user_version = 1`);
    old.close();
    for (const found of [['old'], ['old', 'given back']]) {
      const { queue, close } = folder.open();
      expect((await queue.receive('reports', 10, 0)).map(({ body }) => body)).toEqual(found);
      await queue.send('reports', 'given back', { letter: { id: 'm1', attempt: 1, via: 'bus', sentAt: noon } });
      close();
    }
  });

  test('that somebody else has is refused at once', () => {
    folder.open();
    expect(() => folder.open()).toThrow(expect.objectContaining({ code: 'state.locked', retry: 'never' }));
  });

  test('of a later version is refused, and left alone', () => {
    folder.open().close();
    const db = new DatabaseSync(folder.file);
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(() => folder.open()).toThrow(expect.objectContaining({ code: 'state.newer' }));
    expect(() => folder.open()).toThrow('layout 99');
  });

  test('that is no database is refused', () => {
    writeFileSync(folder.file, 'these are my notes, not a database, and they are long enough to be looked at');
    expect(() => folder.open()).toThrow(expect.objectContaining({ code: 'state.unreadable' }));
  });
});
