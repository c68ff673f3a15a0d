import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Conflict } from '../../../../lib/core/errors.ts';
import { memoryTable } from '../../../../lib/ports/table/memory.ts';
import { overlayTable } from '../../../../lib/ports/table/overlay.ts';
import type { Put, Row, Table } from '../../../../lib/ports/table/table.ts';
import { noon } from '../../../../tools/support/a-row.ts';

const put = (sk: string, body: number, readRev: number): Put => ({
  put: { key: { pk: 'p', sk }, body, at: noon, by: 'test', because: 'a test says so', events: [], eventSeq: 0 },
  readRev,
});
/** Stores each of these under its sort key, whatever is there. */
async function write(table: Table, rows: readonly (readonly [sk: string, body: number])[]): Promise<void> {
  for (const [sk, body] of rows) await table.commit([put(sk, body, (await table.read({ pk: 'p', sk }))?.rev ?? 0)]);
}
/** All rows of the partition, page by page. */
async function pages(table: Table, limit: number, descending: boolean): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: string | undefined; ; ) {
    const page = await table.query({ pk: 'p', from: 'b', to: 'h', limit, descending, ...(after !== undefined && { after }) });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    rows.push(...page.items);
    if (page.next === undefined) return rows;
    after = page.next;
  }
}

const someRows = fc.array(fc.tuple(fc.constantFrom(...'abcdefghi'), fc.nat(99)), { maxLength: 12 });

describe('a table over another', () => {
  it('reads as a table would in which all was committed, and leaves the other one as it was', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, someRows, fc.integer({ min: 1, max: 5 }), fc.boolean(), async (before, after, limit, descending) => {
        const [under, whole] = [memoryTable(), memoryTable()];
        await write(under, before);
        await write(whole, [...before, ...after]);
        const stored = structuredClone([...under.rows]);
        const over = overlayTable(under);
        await write(over, after);

        expect(await pages(over, limit, descending)).toEqual(await pages(whole, limit, descending));
        const keys = [...'abcdefghi'].map((sk) => ({ pk: 'p', sk }));
        expect(await over.readMany(keys)).toEqual(await whole.readMany(keys));
        expect([...under.rows]).toEqual(stored);
      }),
    );
  });

  it('keeps a row as it first read it, whatever becomes of it in the other', async () => {
    const under = memoryTable();
    await write(under, [['a', 1]]);
    const over = overlayTable(under);
    await over.read({ pk: 'p', sk: 'a' });
    await write(under, [['a', 2]]);

    expect((await over.read({ pk: 'p', sk: 'a' }))?.body).toBe(1);
  });

  it('refuses a commit on a row that has moved in it', async () => {
    const over = overlayTable(memoryTable());
    await over.commit([put('a', 1, 0)]);
    await expect(over.commit([put('a', 2, 0)])).rejects.toBeInstanceOf(Conflict);
  });
});
