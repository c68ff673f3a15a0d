import * as z from 'zod';
import { changeKinds } from './watched.ts';

/** The longest name of a thing, in UTF-16 units: no column of the public schema that holds one is longer. */
const nameMax = 1_000;

/** A thing that has changed: its number on this server, and its own name where the row was the thing itself. */
export const Entry = z.union([z.tuple([z.int()]), z.tuple([z.int(), z.string().max(nameMax)])]);
export type Entry = z.infer<typeof Entry>;

/** What a row of the outbox is about; `everything`: changes may have been missed, of whatever kind. */
export const RowKind = z.enum([...changeKinds, 'everything']);

/**
 * A row of the outbox: a statement that has changed something. Without `entries` it has changed more things than a row
 * names, or it is not known which: all things of its kind are to be looked at. `count` rows were changed, of which
 * `digest` is a hash in any order; of an update, a row before and after counts twice.
 */
export const OutboxRow = z.object({
  id: z.int().positive(),
  /** The number of the transaction, in decimal digits. */
  xid: z.string().regex(/^\d+$/),
  kind: RowKind,
  op: z.string(),
  /** The table that was changed. */
  source: z.string(),
  entries: z.array(Entry).nullable(),
  count: z.int().nonnegative().nullable(),
  digest: z.string().nullable(),
  why: z.string().nullable(),
});
export type OutboxRow = z.infer<typeof OutboxRow>;
