import * as z from 'zod';
import { Entry, type OutboxRow, RowKind } from './row.ts';

/** The most statements that a change tells of one by one, and the longest texts in it. */
const bulkMax = 500;
const wordsMax = 1_000;
const Word = z.string().max(100);
const Bulk = z.strictObject({ source: Word, op: Word, count: z.int().nonnegative(), digest: Word });

/**
 * What has changed of one kind: these things, or, without `things`, perhaps all of them. `bulk` is what statements did
 * that touched more than they name: how many rows, and a hash of them.
 */
export const Change = z.strictObject({
  kind: RowKind,
  things: z.array(Entry).optional(),
  bulk: z.array(Bulk).max(bulkMax).optional(),
  why: z.string().max(wordsMax).optional(),
});
export type Change = z.infer<typeof Change>;

/**
 * Rows of the outbox folded into one report: each kind once, each thing once. The state of the things is read when the
 * report is taken, so that their order does not matter, and neither does how often they changed.
 */
export const Batch = z.strictObject({
  /** The rows that are in it, to be deleted by exactly these numbers once it was taken. */
  rows: z.array(z.int().positive()).min(1),
  changes: z.array(Change).min(1),
});
export type Batch = z.infer<typeof Batch>;

/** The most things that a batch names: with their names about 30 KB, of the 64 KiB that a call carries. */
const thingsMax = 500;

/** As many of the rows, from the first, as one batch carries. */
export function headOf(rows: readonly OutboxRow[]): readonly OutboxRow[] {
  let things = 0;
  const end = rows.findIndex(({ entries }, n) => {
    things += entries?.length ?? 0;
    return n > 0 && things > thingsMax;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/** From so many rows on a statement counts as a bulk change, and its count and digest are reported. */
const bulkFrom = 1_000;

/** The batch that rows make; undefined without rows. */
export function batchOf(rows: readonly OutboxRow[]): Batch | undefined {
  if (rows.length === 0) return undefined;
  const kinds = [...Map.groupBy(rows, ({ kind }) => kind)];
  const whole = kinds.find(([kind]) => kind === 'everything');
  // A look at everything is one at each kind.
  const changes = (whole ? [whole] : kinds).map(([kind, some]) => changeOf(kind, some));
  return { rows: rows.map(({ id }) => id), changes };
}

function changeOf(kind: z.infer<typeof RowKind>, rows: readonly OutboxRow[]): Change {
  const isKnown = rows.every(({ entries }) => entries !== null);
  const bulk = rows.flatMap(({ source, op, count, digest }) =>
    count !== null && digest !== null && count >= bulkFrom ? [{ source, op, count, digest }] : [],
  );
  const why = rows.find((row) => row.why !== null)?.why;
  return {
    kind,
    ...(isKnown && { things: thingsOf(rows) }),
    ...(bulk.length > 0 && { bulk }),
    ...(why != null && { why }),
  };
}

/** The things that rows name, each once, in order of their numbers, with every name that one had. */
function thingsOf(rows: readonly OutboxRow[]): Entry[] {
  const all = rows.flatMap(({ entries }) => entries ?? []);
  const named = new Set(all.flatMap(([id, name]) => (name === undefined ? [] : [id])));
  const once = new Map(all.map((entry) => [JSON.stringify(entry), entry]));
  return [...once.values()]
    .filter(([id, name]) => name !== undefined || !named.has(id))
    .sort(([a, one = ''], [b, other = '']) => a - b || (one < other ? -1 : 1));
}
