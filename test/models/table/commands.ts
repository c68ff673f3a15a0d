import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { Conflict } from '../../../lib/core/errors.ts';
import { dayMs, plusMs } from '../../../lib/core/time.ts';
import { dueShardOf, dueShards } from '../../../lib/ports/table/keys.ts';
import type { Change, Key, Meter, Page, Table } from '../../../lib/ports/table/table.ts';
import { noon } from '../../../tools/support/a-row.ts';
import type { Opened } from '../../contract/table/implementations.ts';
import { refusals } from '../../contract/table/limits.ts';
import { command, same } from '../model.ts';
import { changesOf, key, pk, places, sk, told, wish, wishes } from './changes.ts';
import { keyOf, RememberedTable } from './remembered.ts';

/** The model's rows, in a holder because a pair of commits may replace them. */
export type TableModel = { table: RememberedTable };
/** The table under test, and one in memory that is told the same and says what it cost. */
export type TableReal = Opened & { readonly reference: Opened };
type Command = fc.AsyncCommand<TableModel, TableReal>;

const refusedRow = (commit: Promise<void>): Promise<string | undefined> =>
  commit.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Conflict) return error.row;
      throw error;
    },
  );

/** Asks both tables; the answer of the one under test. Both must have cost the same. */
async function asked<T>(real: TableReal, ask: (table: Table) => Promise<T>): Promise<T> {
  const before = [real.table, real.reference.table].map(({ meter }) => ({ ...meter })) as [Meter, Meter];
  const answer = await ask(real.table);
  const expected = await ask(real.reference.table);
  same(answer, expected, 'a table answers as the one in memory does');
  const cost = (table: Table, from: Meter) => Object.entries(table.meter).map(([what, units]) => [what, units - from[what as keyof Meter]]);
  same(cost(real.table, before[0]), cost(real.reference.table, before[1]), 'the same work costs the same units');
  return answer;
}

/** A page holds the first of all that was asked for, and says how to go on when there is more. */
function holdsFirst<T>({ items, next }: Page<T>, all: readonly T[], limit: number, skOf: (item: T) => string): void {
  same(items, all.slice(0, limit), 'a page has what was asked for, in order, and nothing else');
  if (all.length > limit) same(next, skOf(all[limit - 1]!), 'a page that is not the last says where the next begins');
}

const bound = fc.option(fc.oneof(sk, fc.constantFrom('', 'a0', 'zz')), { nil: undefined });
const range = fc.record({
  from: bound,
  to: bound,
  after: fc.option(fc.oneof(sk, fc.constant('a0')), { nil: undefined }),
  limit: fc.integer({ min: 1, max: 9 }),
});
const given = ({ from, to, after, limit }: typeof range extends fc.Arbitrary<infer R> ? R : never) => ({
  limit,
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
  ...(after !== undefined && { after }),
});

const reads: readonly fc.Arbitrary<Command>[] = [
  key.map((at) =>
    command(`read ${at.pk}|${at.sk}`, async ({ table }, real) =>
      same(await asked(real, (one) => one.read(at)), table.row(at), 'a row reads as it was stored'),
    ),
  ),
  fc
    .array(key, { maxLength: 6 })
    .map((keys) =>
      command(`read ${keys.map((at) => `${at.pk}|${at.sk}`)}`, async ({ table }, real) =>
        same(await asked(real, (one) => one.readMany(keys)), keys.map(table.row), 'many rows read as each alone'),
      ),
    ),
  fc.tuple(pk, range, fc.boolean()).map(([at, within, descending]) => {
    const query = { pk: at, descending, ...given(within) };
    return command(`query ${JSON.stringify(query)}`, async ({ table }, real) =>
      holdsFirst(await pageOf(real, (one) => one.query(query)), table.query(query), query.limit, (row) => row.key.sk),
    );
  }),
  fc.tuple(fc.constantFrom('list' as const, 'inverse' as const), fc.constantFrom(...places), range).map(([index, at, within]) => {
    const query = { pk: at, index, ...given(within) };
    return command(`query ${JSON.stringify(query)}`, async ({ table }, real) =>
      holdsFirst(await pageOf(real, (one) => one.queryIndex(query)), table.entries(index, query), query.limit, (entry) => entry.sk),
    );
  }),
  fc.tuple(fc.integer({ min: -1, max: 3 }), fc.integer({ min: 1, max: 5 })).map(([ms, limit]) =>
    command(`due by ${ms}, ${limit}`, async ({ table }, real) => {
      for (let shard = 0; shard < dueShards; shard++) await holdsDue(table, real, { shard, now: plusMs(noon, ms), limit });
    }),
  ),
];

/** A page; whether one that happens to end with the last row says `next` is the table's own affair. */
async function pageOf<T>(real: TableReal, ask: (table: Table) => Promise<Page<T>>): Promise<Page<T>> {
  let page: Page<T> | undefined;
  await asked(real, async (table) => {
    const one = await ask(table);
    page ??= one;
    return one.items;
  });
  return page!;
}

/** The longest waiting come first; of those that wait as long any may. */
async function holdsDue(
  model: RememberedTable,
  real: TableReal,
  { shard, now, limit }: { shard: number; now: typeof noon; limit: number },
) {
  let found: readonly Key[] = [];
  const wakes = (key: Key) => model.row(key)?.wakeAt;
  await asked(real, async (table) => {
    const keys = await table.due(shard, now, limit);
    if (table === real.table) found = keys;
    return keys.map(wakes);
  });
  const waiting = model.due(now).filter(({ key: at }) => dueShardOf(at) === shard);
  const moments = waiting.map(({ wakeAt }) => wakeAt!).sort((a, b) => a - b);
  same(found.map(wakes), moments.slice(0, limit), 'the longest waiting of a shard are due first');
  same(new Set(found.map(({ pk: p, sk: s }) => `${p}|${s}`)).size, found.length, 'nothing is due twice');
}

const writes: readonly fc.Arbitrary<Command>[] = [
  wishes.map((all) =>
    command(`commit ${told(all)}`, async ({ table }, real) => {
      const changes = changesOf(all, table, 'one');
      const answer = await asked(real, (one) => refusedRow(one.commit(changes)));
      same(answer, table.commit(changes), 'a commit is refused exactly when a row has moved, and names the first');
    }),
  ),
  fc.tuple(wishes, wishes).map(([one, other]) =>
    command(`at once: ${told(one)} | ${told(other)}`, async (model, real) => {
      await atOnce(model, real, [changesOf(one, model.table, 'one'), changesOf(other, model.table, 'other')]);
    }),
  ),
  fc.tuple(fc.constantFrom(...refusals), wish).map(([{ what, changes, code }, good]) =>
    command(`commit ${what}`, async ({ table }, real) => {
      const all = [...(changes().length === 0 ? [] : changesOf([good], table, 'one')), ...changes()];
      const answer = await asked(real, (one) =>
        one.commit(all).then(
          () => 'stored',
          (error: { code?: string }) => error.code,
        ),
      );
      same(answer, code, 'what DynamoDB would refuse is refused whole');
    }),
  ),
  fc.integer({ min: -1, max: 95 }).map((days) =>
    command(`remove what expired by day ${days}`, async ({ table }, real) => {
      if (!real.removeExpired) return;
      const now = plusMs(noon, days * dayMs);
      const removed = [await real.removeExpired(now, 100), await real.reference.removeExpired!(now, 100)];
      const expected = table.expire(now);
      same(removed, [expected, expected], 'what has expired is removed, and nothing else');
    }),
  ),
];

/** Two commits launched together: which were stored, and all rows, must be as after one and then the other. */
async function atOnce(model: TableModel, real: TableReal, commits: readonly [Change[], Change[]]): Promise<void> {
  const refused = await Promise.all(commits.map((changes) => refusedRow(real.table.commit(changes))));
  const touched = commits.flat().map(keyOf);
  const rows = await real.table.readMany(touched);
  for (const order of [
    [0, 1],
    [1, 0],
  ] as const) {
    const table = new RememberedTable(model.table.rows);
    const outcome: (string | undefined)[] = [];
    for (const n of order) outcome[n] = table.commit(commits[n]);
    const isThis = outcome.every((row, n) => (row === undefined) === (refused[n] === undefined));
    if (!isThis || !isDeepStrictEqual(touched.map(table.row), rows)) continue;
    model.table = table;
    for (const n of order) await refusedRow(real.reference.table.commit(commits[n]));
    await real.reference.table.readMany(touched);
    same(real.table.meter, real.reference.table.meter, 'the same work costs the same units');
    return;
  }
  same({ refused, rows }, commits, 'two commits at once end as one after the other');
}

/** Everything that can be asked of a table; commits come more often than each of the others. */
export const tableCommands: readonly fc.Arbitrary<Command>[] = [...writes, ...reads, writes[0]!, writes[0]!, writes[1]!];
