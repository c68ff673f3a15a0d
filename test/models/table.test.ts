import { afterAll, beforeAll, describe, it } from 'vitest';
import { type MemoryTable, memoryTable } from '../../lib/ports/table/memory.ts';
import { type Change, nameOf, type Table } from '../../lib/ports/table/table.ts';
import { type Implementation, implementations, type Opened } from '../contract/table/implementations.ts';
import { always, findsFault, type Model } from './model.ts';
import { type TableModel, type TableReal, tableCommands } from './table/commands.ts';
import { RememberedTable } from './table/remembered.ts';

const openedOf = (table: MemoryTable): Opened => ({ table, feed: async () => table.feed, removeExpired: table.removeExpired });
const inMemory = (): Opened => openedOf(memoryTable());

const aModelOf = (open: () => Promise<Opened> | Opened): Model<TableModel, TableReal> => ({
  commands: tableCommands,
  begin: async () => ({ model: { table: new RememberedTable() }, real: { ...(await open()), reference: inMemory() } }),
});

const runs: Readonly<Record<string, number>> = { 'in memory': 150, 'in SQLite': 40 };

const answersAsRemembered = ({ name, start }: Implementation): void => {
  let started: Awaited<ReturnType<Implementation['start']>>;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started.stop());

  it(
    'answers every question as a list of rows would, at the cost of the one in memory',
    () =>
      always(
        aModelOf(() => started.open()),
        { numRuns: runs[name] ?? 12 },
      ),
    600_000,
  );
};

for (const implementation of implementations)
  describe.skipIf(!implementation.isInstalled)(`a table ${implementation.name}`, () => answersAsRemembered(implementation));

describe('the model of a table finds out', () => {
  it('one that does not look at the revision of the second row', () =>
    findsFault(
      aModelOf(() => {
        const table = memoryTable();
        const revOf = (change: Change): number => table.rows.get(nameOf('put' in change ? change.put.key : change.check))?.rev ?? 0;
        const commit: Table['commit'] = (changes) =>
          table.commit(changes.map((change, n) => (n === 1 ? { ...change, readRev: revOf(change) } : change)));
        return openedOf({ ...table, commit });
      }),
      'two commits at once end as one after the other',
    ));

  it('one that sorts by UTF-16 instead of UTF-8', () =>
    findsFault(
      aModelOf(() => {
        const table = memoryTable();
        const query: Table['query'] = async (asked) => {
          const { items, ...page } = await table.query(asked);
          return { ...page, items: asked.descending ? items : items.toSorted((a, b) => (a.key.sk < b.key.sk ? -1 : 1)) };
        };
        return openedOf({ ...table, query });
      }),
      'a table answers as the one in memory does',
    ));
});
