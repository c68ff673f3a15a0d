import { setTimeout as sleep } from 'node:timers/promises';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wholeFile } from '../../../../lib/ports/storage/whole-file.ts';
import { attributesOf } from '../../../../lib/ports/table/attributes.ts';
import { dynamoTable } from '../../../../lib/ports/table/dynamo.ts';
import { dynamoWhole } from '../../../../lib/ports/table/dynamo-whole.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import { anEvent, aRow, noon } from '../../../../tools/support/a-row.ts';
import { aStateFolder } from '../../../support/a-state-file.ts';
import { anyRows } from '../../../support/any-rows.ts';
import { type Dynoxide, dynoxideIsInstalled, startDynoxide } from '../../../support/dynoxide.ts';
import { wholeMemory } from '../../../support/whole-memory.ts';
import { aFolder, exported, imported } from './a-transfer.ts';

const folder = aFolder();
afterAll(() => folder.remove());

/** The state file's own way: imported into a new one, and exported again. */
async function throughSqlite(file: string): Promise<{ file: string; bytes: Buffer }> {
  const state = wholeFile(folder.newFile('muster.db'));
  try {
    await imported(file, state);
    const next = folder.newFile();
    return { file: next, bytes: await exported(state, next) };
  } finally {
    state.close();
  }
}

describe('a deployment of any rows', () => {
  test(
    'is the same file again after a state file',
    () =>
      fc.assert(
        fc.asyncProperty(anyRows, async (rows) => {
          const file = folder.newFile();
          const before = await exported(wholeMemory(rows), file);
          expect((await throughSqlite(file)).bytes.toString()).toBe(before.toString());
        }),
        { numRuns: 40 },
      ),
    60_000,
  );

  test('is there as it was, each row at its revision', async () => {
    const [rows] = fc.sample(anyRows, { numRuns: 1, seed: 5 }) as [Row[]];
    const file = folder.newFile();
    await exported(wholeMemory(rows), file);
    const state = wholeFile(folder.newFile('muster.db'));
    await imported(file, state);
    for (const row of rows) expect(attributesOf((await state.read(row.key))!, row.rev)).toEqual(attributesOf(row, row.rev));
    state.close();
  });
});

describe.skipIf(!dynoxideIsInstalled)('a deployment of any rows, by way of DynamoDB as dynoxide emulates it', () => {
  let dynoxide: Dynoxide;
  beforeAll(async () => {
    dynoxide = await startDynoxide();
  });
  afterAll(() => dynoxide.stop());
  const open = async () => dynamoWhole({ client: dynoxide.client, tableName: await dynoxide.createTable(), sleep: (ms) => sleep(ms) });

  test(
    'is the same file again after a state file, a table, and a state file that read the table',
    () =>
      fc.assert(
        fc.asyncProperty(anyRows, async (rows) => {
          const file = folder.newFile();
          const before = await exported(wholeMemory(rows), file);
          const second = await throughSqlite(file);
          const table = await open();
          await imported(second.file, table);
          const walked: Row[] = [];
          for await (const row of table.scan()) walked.push(row);
          const last = folder.newFile();
          expect((await exported(wholeMemory(walked), last)).toString()).toBe(before.toString());
          expect((await throughSqlite(last)).bytes.toString()).toBe(before.toString());
        }),
        { numRuns: 12 },
      ),
    120_000,
  );

  test('more rows than a page or a batch takes are all there, and a row is found by the table as it was', async () => {
    const rows = Array.from(
      { length: 1_230 },
      (_, n): Row => ({ ...aRow({ pk: `client#${n}`, sk: 'client', body: { n, padding: 'x'.repeat(900) } }), rev: n + 1 }),
    );
    const file = folder.newFile();
    const before = await exported(wholeMemory(rows), file);
    const tableName = await dynoxide.createTable();
    const at = { client: dynoxide.client, tableName, sleep: (ms: number) => sleep(ms) };
    await imported(file, dynamoWhole(at));
    const walked: Row[] = [];
    for await (const row of dynamoWhole(at).scan()) walked.push(row);
    expect((await exported(wholeMemory(walked), folder.newFile())).equals(before)).toBe(true);
    expect(await dynamoTable(at).read(rows[700]!.key)).toEqual(rows[700]);
  }, 60_000);

  test('a table that holds something is left alone, and emptied when that is wanted', async () => {
    const table = await open();
    const file = folder.newFile();
    await exported(wholeMemory([{ ...aRow({ pk: 'zone#new' }), rev: 3 }]), file);
    await table.storeRows([{ ...aRow({ pk: 'zone#old' }), rev: 1 }]);
    await expect(imported(file, table)).rejects.toMatchObject({ code: 'import.not-empty' });
    await imported(file, table, { replaces: true });
    const keys: string[] = [];
    for await (const { key } of table.seen()) keys.push(key.pk);
    expect(keys).toEqual(['zone#new']);
  });

  test('an import that was broken off is seen by its marker, and goes through when it is given again', async () => {
    const table = await open();
    const file = folder.newFile();
    await exported(wholeMemory([1, 2, 3].map((n): Row => ({ ...aRow({ pk: `node#n${n}` }), rev: n }))), file);
    const broken = { ...table, storeRows: async () => Promise.reject(new Error('the network is gone')) };
    await expect(imported(file, broken)).rejects.toThrow('the network is gone');
    const half = { ...wholeMemory([]), read: table.read };
    await expect(exported(half, folder.newFile())).rejects.toMatchObject({ code: 'import.unfinished' });
    await imported(file, table);
    const keys: string[] = [];
    for await (const { key } of table.seen()) keys.push(key.pk);
    expect(keys.sort()).toEqual(['node#n1', 'node#n2', 'node#n3']);
  });

  test('the stream is handed what was not published yet, in order, and nothing else', async () => {
    const tableName = await dynoxide.createTable();
    const table = dynamoWhole({ client: dynoxide.client, tableName, sleep: (ms) => sleep(ms) });
    const marked = async (row: Row) => {
      const key = { pk: { S: row.key.pk }, sk: { S: row.key.sk } };
      const { Item } = await dynoxide.client.send(new GetItemCommand({ TableName: tableName, Key: key }));
      return { rev: Number(Item!['rev']!.N), isHandedOn: Item!['emits'] !== undefined };
    };
    const committed = (seq: number): Row => ({ ...aRow({ events: [anEvent(seq)], eventSeq: seq }), rev: seq });
    await table.storeImages([committed(2), committed(3)].map((row, n) => ({ offset: String(n), row })));
    expect(await marked(committed(3))).toEqual({ rev: 3, isHandedOn: true });
    await table.storeRows([committed(3)]);
    expect(await marked(committed(3))).toEqual({ rev: 3, isHandedOn: false });
  });

  test('reports that waited are not lost in silence', async () => {
    const state = aStateFolder();
    const storage = state.open();
    await storage.queue.send('reports', '{"type":"node.up"}');
    storage.close();
    const file = folder.newFile();
    const source = wholeFile(state.file);
    await exported(source, file);
    source.close();
    const table = await open();
    await expect(imported(file, table, { messages: 'refused' })).rejects.toMatchObject({ code: 'import.messages' });
    await imported(file, table, { messages: 'left out' });
    state.remove();
  });
});

describe('a state file with what waits in it', () => {
  test('goes on where it stood: unpublished commits, the feed behind them, and messages', async () => {
    const state = aStateFolder();
    const storage = state.open();
    for (const seq of [1, 2, 3])
      await storage.table.commit([{ put: aRow({ events: [anEvent(seq)], eventSeq: seq, body: { seq } }), readRev: seq - 1 }]);
    await storage.feed.moveTo('publish', '1');
    await storage.queue.send('reports', '{"type":"node.up"}');
    await storage.queue.sendFromBus('reports', '{"type":"service.started"}');
    await storage.queue.receive('reports', 1, 60_000);
    storage.close();

    const source = wholeFile(state.file);
    const first = folder.newFile();
    const before = await exported(source, first);
    source.close();
    const target = folder.newFile('muster.db');
    const state2 = wholeFile(target);
    expect(await imported(first, state2)).toEqual(['acme']);
    expect((await exported(state2, folder.newFile())).toString()).toBe(before.toString());
    state2.close();

    const { openStorage } = await import('../../../../lib/ports/storage/storage.ts');
    const again = openStorage({ file: target, now: () => noon, defer: (run) => void setImmediate(run) });
    const images = await again.feed.read(await again.feed.position('publish'), 10);
    expect(images.map(({ offset, row }) => [offset, row.rev, row.eventSeq])).toEqual([
      ['2', 2, 2],
      ['3', 3, 3],
    ]);
    expect((await again.queue.receive('reports', 10, 1_000)).map(({ body, via, receives }) => [body, via, receives])).toEqual([
      ['{"type":"node.up"}', 'door', 2],
      ['{"type":"service.started"}', 'bus', 1],
    ]);
    await again.table.commit([{ put: aRow({ events: [anEvent(4)], eventSeq: 4 }), readRev: 3 }]);
    expect(await again.feed.last()).toBe('4');
    again.close();
    state.remove();
  });

  test('holds what it held when an import is broken off', async () => {
    const path = folder.newFile('muster.db');
    const old: Row = { ...aRow({ pk: 'zone#old' }), rev: 1 };
    const target = wholeFile(path);
    await target.storeRows([old]);
    const file = folder.newFile();
    await exported(wholeMemory([{ ...aRow({ pk: 'zone#new' }), rev: 3 }]), file);
    await expect(imported(file, target)).rejects.toMatchObject({ code: 'import.not-empty' });
    const broken = { ...target, commit: async () => Promise.reject(new Error('the disk is full')) };
    await expect(imported(file, broken, { replaces: true })).rejects.toThrow('the disk is full');
    target.close();
    const again = wholeFile(path);
    expect(await again.contents()).toMatchObject({ rows: 1, kinds: { zone: 1 } });
    expect(await again.read(old.key)).toEqual(old);
    again.close();
  });

  test('has its zones one epoch on, and nothing else of them', async () => {
    const head: Row = { ...aRow({ pk: 'zone#default', sk: 'head', body: { epoch: 65_535, version: 7 } }), rev: 9 };
    const other: Row = { ...aRow({ pk: 'node#n1', sk: 'head', body: { epoch: 4 } }), rev: 2 };
    const file = folder.newFile();
    await exported(wholeMemory([head, other]), file);
    const target = wholeFile(folder.newFile('muster.db'));
    await imported(file, target, { sameEpoch: false });
    expect(await target.read(head.key)).toEqual({ ...head, body: { epoch: 0, version: 7 } });
    expect(await target.read(other.key)).toEqual(other);
    target.close();
  });
});
