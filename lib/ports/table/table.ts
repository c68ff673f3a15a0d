import type { Concluded } from '../../core/decision.ts';
import { historyForMs } from '../../core/history.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { isClientRow } from './keys.ts';

export type Key = { readonly pk: string; readonly sk: string };

/** A key as one string, for maps of rows. */
export const nameOf = ({ pk, sk }: Key): string => `${pk}\u0000${sk}`;

/** Anything JSON can hold, and bytes. */
export type Value = null | boolean | number | string | Uint8Array | readonly Value[] | { readonly [name: string]: Value | undefined };

/** Distinguishes a list from bytes and maps; `Array.isArray` does not narrow to a readonly array. */
export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/**
 * The key of a row in the list index (`lpk`, `lsk`) or in the inverse index (`ipk`, `isk`); absent if it is not there.
 */
export type IndexKey = { readonly pk: string; readonly sk: string };

/** An event as it was committed with its row; `seq` counts the row's events and is never reset. */
export type CommittedEvent = Concluded & { readonly seq: number };

/** The actor of a change, in its row and in the audit. */
export type Actor = {
  /** The name: `admin:<subject>`, `key:<id>`, `node:<id>`, `client:<fingerprint>`. */
  readonly who: string;
  /** The id of the key or token that the caller used, never the secret. */
  readonly key?: string;
  /** The caller's network address. */
  readonly source: string;
  /** The id of the call. */
  readonly request: string;
};

/** The reason of a present state: the reason, the moment and the input of the commit that made it so, and its actor. */
export type StateReason = { readonly because: string; readonly at: EpochMs; readonly by: string; readonly who?: string };

/**
 * The reason of a row's present state: from its last commit, or from the one before if the last did not concern the
 * state.
 */
export const stateReasonOf = ({
  because,
  at,
  by,
  actor,
  stands,
}: Pick<RowContent, 'because' | 'at' | 'by' | 'actor' | 'stands'>): StateReason =>
  stands ?? { because, at, by, ...(actor && { who: actor.who }) };

/**
 * The content that one commit stores in one row; `S` is the state in it, if the reference of the row gives its type.
 */
export type RowContent<S = unknown> = {
  readonly key: Key;
  readonly body: S;
  /** When it was committed, by Muster's clock. */
  readonly at: EpochMs;
  /** The id of the input that caused this commit; by it we recognise our own commit after a lost answer. */
  readonly by: string;
  readonly because: string;
  /** Present if this commit did not concern the state of the thing. */
  readonly stands?: StateReason;
  /** The actor of this commit; absent for Muster's own changes, even after a commit with an actor. */
  readonly actor?: Actor;
  /**
   * The names of the body's fields that this commit changed; present only with an actor, and not for a row that begins
   * or ends.
   */
  readonly changed?: readonly string[];
  /** The events of this commit alone; earlier ones are in the history. */
  readonly events: readonly CommittedEvent[];
  /** The number of the last event this row ever had. */
  readonly eventSeq: number;
  /** A lower bound for when the row could change by itself; sets its place in the due index. */
  readonly wakeAt?: EpochMs;
  /** When the row ends by itself; readers filter it from then on, the table removes it after {@link removableAt}. */
  readonly expiresAt?: EpochMs;
  /** The row has ended and is retained only so that `rev` and `eventSeq` continue. */
  readonly gone?: true;
  readonly list?: IndexKey;
  readonly edge?: IndexKey;
};

/**
 * Whether the actor's changes go into the audit: everything that people, automation and unknown callers do. The own
 * actions of machines are in the histories of the things that they changed: a million knocks a day would make the audit
 * a log of calls.
 */
export const isAudited = ({ who }: Actor): boolean => !who.startsWith('node:') && !who.startsWith('client:');

/**
 * Why the feed hands a commit on, as stored in the attribute `emits`. 1: it has events to publish, or belongs into the
 * audit. 2: it only concerns the row of a client system, which the search index then reads again. Undefined for any
 * other commit.
 */
export const emitsOf = ({ key, events, actor }: Pick<RowContent, 'key' | 'events' | 'actor'>): 1 | 2 | undefined => {
  if (events.length > 0 || (actor !== undefined && isAudited(actor))) return 1;
  return isClientRow(key) ? 2 : undefined;
};

/** Whether the feed hands a commit on, for one reason or another. */
export const isEmitted = (row: Pick<RowContent, 'key' | 'events' | 'actor'>): boolean => emitsOf(row) !== undefined;

/**
 * When a table may remove a row that ends by itself; undefined for one that does not. A row that had events stays as
 * long as its history does: a new row under the same key would number its events from 1 again, and consumers and
 * history know those numbers.
 */
export const removableAt = ({ expiresAt, eventSeq }: Pick<RowContent, 'expiresAt' | 'eventSeq'>): EpochMs | undefined =>
  expiresAt === undefined || eventSeq === 0 ? expiresAt : plusMs(expiresAt, historyForMs);

/** A stored row; `rev` counts its commits. */
export type Row<S = unknown> = RowContent<S> & { readonly rev: number };

/** Stores a row whose revision is still `readRev` (0: there is none yet); its revision becomes `readRev + 1`. */
export type Put = { readonly put: RowContent; readonly readRev: number };
/** Refuses the whole commit unless the row is still at `readRev` (0: there is none). */
export type Check = { readonly check: Key; readonly readRev: number };
export type Change = Put | Check;

/** Rows of one partition in sort key order, within `[from, to]`, both inclusive. */
export type RowQuery = {
  readonly pk: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
  /** The sort key after which to continue, from the previous page's `next`. */
  readonly after?: string;
  readonly descending?: boolean;
};
/** Entries of an index; the index may be stale without bound, so every use re-reads the row. */
export type IndexQuery = Omit<RowQuery, 'descending'> & { readonly index: 'list' | 'inverse' };
export type IndexEntry = { readonly key: Key; readonly sk: string };
/** One page: at most `limit` items and 1 MB; `next` is there when more may follow. */
export type Page<T> = { readonly items: readonly T[]; readonly next?: string };

/**
 * Capacity units and rows used since the meter was made; index moves are counted in `writeUnits`, and again in
 * `indexUnits`.
 */
export type Meter = { readUnits: number; writeUnits: number; indexUnits: number; rowsWritten: number };

/**
 * How old the rows of a read may be: as they are now, or as they were a moment ago (DynamoDB: eventually consistent).
 */
export type Reading = 'now' | 'lately';

/**
 * The most due rows that `due` returns at once, per shard: their keys, of 100 to 150 B, are within the 1 MB that one
 * query of DynamoDB reads.
 */
export const dueLimitMax = 6_000;

/**
 * The one storage port. All tables refuse what DynamoDB refuses: rows over 400 KB, more than 100 changes or 4 MB in a
 * commit, partition keys over 2 KB, sort keys over 1 KB.
 */
export interface Table {
  /** The row as it is now, also when it is gone or expired; undefined when there never was one. */
  read(key: Key): Promise<Row | undefined>;
  /**
   * Up to 100 rows at once, in the order asked for. `lately`, at half the units, as they were a moment ago: for callers
   * whose next commit detects newer rows, or that read again soon.
   */
  readMany(keys: readonly Key[], how?: Reading): Promise<readonly (Row | undefined)[]>;
  query(query: RowQuery): Promise<Page<Row>>;
  queryIndex(query: IndexQuery): Promise<Page<IndexEntry>>;
  /** Keys of rows of one shard whose `wakeAt` is not after `now`, the longest waiting first. */
  due(shard: number, now: EpochMs, limit: number): Promise<readonly Key[]>;
  /**
   * Stores all changes or none. Throws {@link Conflict} naming the first row that had moved, {@link TooLarge} over the
   * limits.
   */
  commit(changes: readonly Change[]): Promise<void>;
  readonly meter: Meter;
}

/** One committed row that emits, as the feed hands it on, in commit order per row. */
export type FeedImage = { readonly offset: string; readonly row: Row };
