import * as z from 'zod';
import { identitySql } from '../../../lib/uyuni/outbox/installation.ts';
import { channel, schema } from '../../../lib/uyuni/outbox/names.ts';
import { OutboxRow } from '../../../lib/uyuni/outbox/row.ts';
import { type ChangeKind, watched } from '../../../lib/uyuni/outbox/watched.ts';
import { isInItsDatabase } from './examine.ts';
import type { Session } from './session.ts';

/** The outbox of a server, over one connection. Every call throws what keeps it from its database. */
export type Outbox = {
  isOpen(): boolean;
  close(): Promise<void>;
  /** Calls a function whenever something was written, from now on; and once when the connection has ended. */
  listen(heard: () => void): Promise<void>;
  /** Whether it is in the database that it was installed in; undefined where there is none. */
  isInItsDatabase(): Promise<boolean | undefined>;
  /** Makes this database the one that it is installed in. */
  adopt(): Promise<unknown>;
  isFull(): Promise<boolean>;
  nextXid(): Promise<bigint>;
  awaitChange(): Promise<unknown>;
  /** Up to so many rows that can be reported, in order. */
  read(most: number): Promise<readonly OutboxRow[]>;
  drop(ids: readonly number[]): Promise<unknown>;
  /** Empties it, and has everything looked at. */
  lookAtEverything(why: string): Promise<void>;
  /** The names that things of a kind have now, by their numbers. */
  namesOf(kind: ChangeKind, numbers: readonly number[]): Promise<ReadonlyMap<number, string>>;
  fill(): Promise<Fill>;
  compact(): Promise<unknown>;
};

/** The outbox in the database of a session. */
export const outboxIn = (session: Session): Outbox => ({
  isOpen: session.isOpen,
  close: session.close,
  listen: (heard) => session.listen(channel, heard),
  isInItsDatabase: () => isInItsDatabase(session),
  adopt: () => adopt(session),
  isFull: () => isFull(session),
  nextXid: () => nextXid(session),
  awaitChange: () => awaitChange(session),
  read: (most) => readRows(session, most),
  drop: (ids) => dropRows(session, ids),
  lookAtEverything: (why) => lookAtEverything(session, why),
  namesOf: (kind, numbers) => namesOf(session, kind, numbers),
  fill: () => fillOf(session),
  compact: () => compact(session),
});

const Named = z.object({ number: z.int(), name: z.string() });

/** The names that things of a kind have now: systems by the ids of their minions. Who is gone has none. */
async function namesOf(session: Session, kind: ChangeKind, numbers: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const own = watched.find((watch) => watch.kind === kind && watch.name !== undefined);
  if (own?.name === undefined || numbers.length === 0) return new Map();
  const rows = await session.rows(`SELECT ${own.key}::int8 AS number, ${own.name} AS name FROM ${own.table} WHERE ${own.key} = ANY($1)`, [
    numbers,
  ]);
  return new Map(
    z
      .array(Named)
      .parse(rows)
      .map(({ number, name }) => [number, name]),
  );
}

/**
 * Rows in the order in which they were written, of transactions below the oldest that is still writing. Neither their
 * numbers nor those of their transactions are in the order of commits: a row with a lower number may appear after one
 * with a higher was read. Below that line nothing can appear any more.
 */
const readSql = `
  SELECT o.id, o.xid::text AS xid, o.kind, o.op, o.source, o.entries, o.count, o.digest::text AS digest, o.why
  FROM ${schema}.outbox o WHERE o.xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY o.id LIMIT $1`;

/**
 * Has the next change wake the listener. A caller does so before it reads rows: a change after that wakes it again. A
 * transaction that was under way in between may not, and the next pass finds its row.
 */
export const awaitChange = (session: Session): Promise<readonly unknown[]> =>
  session.rows(`SELECT CASE WHEN last_value > 1 THEN setval('${schema}.wake', 1) END FROM ${schema}.wake`);

/** Up to so many rows that can be reported. */
export const readRows = async (session: Session, most: number): Promise<readonly OutboxRow[]> =>
  z.array(OutboxRow).parse(await session.rows(readSql, [most]));

/** Deletes rows that were taken, by exactly their numbers. */
export const dropRows = (session: Session, ids: readonly number[]): Promise<readonly unknown[]> =>
  session.rows(`DELETE FROM ${schema}.outbox WHERE id = ANY($1)`, [ids]);

/**
 * Empties the outbox, and has everything looked at. The row that says so is written after `overflow` has been taken
 * back: every transaction that left its own row out has a lower number, and has ended when that row is read.
 */
export async function lookAtEverything(session: Session, why: string): Promise<void> {
  await session.rows(`SELECT setval('${schema}.overflow', 1)`);
  await session.transaction(async () => {
    await session.rows(`DELETE FROM ${schema}.outbox`);
    await session.rows(`INSERT INTO ${schema}.outbox (kind, op, source, why) VALUES ('everything', 'look', 'outbox', $1)`, [why]);
  });
}

/** Makes this database the one that the outbox is installed in: a copy, or one that was restored. */
export const adopt = (session: Session): Promise<readonly unknown[]> =>
  session.rows(`UPDATE ${schema}.installation SET (system_identifier, timeline, database_oid, outbox_oid) = (${identitySql})`);

/** How full the outbox is: rows that wait, its size in bytes, and whether it has reached its bound. */
export const Fill = z.object({ rows: z.int(), bytes: z.int(), isFull: z.boolean() });
export type Fill = z.infer<typeof Fill>;

/** How full the outbox is. */
export async function fillOf(session: Session): Promise<Fill> {
  const [fill] = z
    .tuple([Fill])
    .parse(
      await session.rows(
        `SELECT (SELECT count(*) FROM ${schema}.outbox) AS rows, pg_relation_size('${schema}.outbox') AS bytes, last_value > 1 AS "isFull" FROM ${schema}.overflow`,
      ),
    );
  return fill;
}

/** Whether the outbox has reached its bound, so that changes are not written any more. */
export async function isFull(session: Session): Promise<boolean> {
  const [found] = z
    .tuple([z.object({ full: z.boolean() })])
    .parse(await session.rows(`SELECT last_value > 1 AS full FROM ${schema}.overflow`));
  return found.full;
}

/** The number that the next transaction gets, in decimal digits. */
export async function nextXid(session: Session): Promise<bigint> {
  const [found] = z
    .tuple([z.object({ xid: z.string() })])
    .parse(await session.rows('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid'));
  return BigInt(found.xid);
}

/** The transaction that has been writing for longest, and holds back what others have written since it began. */
export const Holder = z.object({ pid: z.int(), user: z.string().nullable(), application: z.string().nullable(), forMs: z.number() });
export type Holder = z.infer<typeof Holder>;

/** The transaction that holds rows back; undefined where none does. */
export async function holderOf(session: Session): Promise<Holder | undefined> {
  const rows = await session.rows(
    `SELECT pid, usename AS user, application_name AS application, 1000 * extract(epoch FROM clock_timestamp() - xact_start)::float8 AS "forMs"
     FROM pg_stat_activity WHERE backend_xid = pg_snapshot_xmin(pg_current_snapshot())::xid AND pid <> pg_backend_pid()`,
  );
  return z.array(Holder).parse(rows)[0];
}

/** Gives back the room of rows that are gone, so that an outbox that was long is small again. */
export const compact = (session: Session): Promise<readonly unknown[]> => session.rows(`VACUUM ${schema}.outbox`);
