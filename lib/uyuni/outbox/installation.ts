import { type Watch, watched } from './watched.ts';

/** The schema that is ours in the database of a server. */
export const schema = 'muster';
/** The channel on which a listener is woken. */
export const channel = 'muster';
/** The version of the installation: another one is installed anew. */
export const version = 1;

/** The most things that a row names one by one. */
export const entriesMax = 100;
/**
 * How large the table may grow before it is cut down to “look at everything”, in bytes: a week of a change a second, of
 * about 120 bytes each, and as much again.
 */
export const outboxBytesMax = 128 * 2 ** 20;
/** Every so many rows a trigger looks how large the table is. */
const lookEvery = 256;

/** The size from which on a table is too large, where it is not {@link outboxBytesMax}. */
export type Bounds = { readonly bytesMax?: number };

const operations = ['insert', 'update', 'delete', 'truncate'] as const;
type Operation = (typeof operations)[number];

/** The function that a watch's triggers call, with its schema. */
export const functionOf = ({ table, kind }: Watch): string => `${schema}.${table}_${kind.replaceAll('-', '_')}`;
/** The trigger of a watch for an operation. */
const triggerOf = ({ kind }: Watch, operation: Operation): string => `muster_${kind.replaceAll('-', '_')}_${operation}`;

/** Every trigger of an installation: its table and its name. */
export const triggers = (): { readonly table: string; readonly name: string }[] =>
  watched.flatMap((watch) => operations.map((operation) => ({ table: watch.table, name: triggerOf(watch, operation) })));

/**
 * The statements that install the outbox, to be run in one transaction. The outbox has one row for each statement that
 * has changed something that is watched, written in the transaction of that statement.
 */
export const installationSql = (bounds: Bounds = {}): string => [tables, ...watched.map((watch) => watchSql(watch, bounds))].join('\n');

/** The statement that removes all of it: triggers go with the functions that they call. */
export const removalSql = `DROP SCHEMA IF EXISTS ${schema} CASCADE`;

/**
 * The tables. Two sequences stand for flags, since their values are seen at once, roll back with nobody, and are read
 * without a lock: `overflow` is 2 when the outbox is full and nothing more is written, `wake` is 2 when a listener has
 * been woken and has not looked yet.
 */
const tables = `
CREATE SCHEMA ${schema};
CREATE TABLE ${schema}.outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  kind text NOT NULL,
  op text NOT NULL,
  source text NOT NULL,
  entries jsonb,
  count bigint,
  digest bigint,
  why text
);
CREATE TABLE ${schema}.installation (
  version integer NOT NULL,
  system_identifier text NOT NULL,
  timeline integer NOT NULL,
  database_oid oid NOT NULL,
  outbox_oid oid NOT NULL,
  installed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE SEQUENCE ${schema}.overflow;
CREATE SEQUENCE ${schema}.wake;
INSERT INTO ${schema}.installation (version, system_identifier, timeline, database_oid, outbox_oid)
  SELECT ${version}, s.system_identifier::text, c.timeline_id, d.oid, '${schema}.outbox'::regclass
  FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database();
INSERT INTO ${schema}.outbox (kind, op, source, why) VALUES ('everything', 'look', 'installation', 'the outbox was installed');`;

function watchSql(watch: Watch, bounds: Bounds): string {
  const name = functionOf(watch);
  const made = operations.map((operation) => {
    const seen = {
      insert: 'NEW TABLE AS new_rows',
      update: 'OLD TABLE AS old_rows NEW TABLE AS new_rows',
      delete: 'OLD TABLE AS old_rows',
    };
    const rows = operation === 'truncate' ? '' : ` REFERENCING ${seen[operation]}`;
    return `CREATE TRIGGER ${triggerOf(watch, operation)} AFTER ${operation.toUpperCase()} ON ${watch.table}${rows}
  FOR EACH STATEMENT EXECUTE FUNCTION ${name}();`;
  });
  // The writer of a watched table need have no right to the outbox, and finds no other function than PostgreSQL's own.
  return `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $muster$${functionBody(watch, bounds)}$muster$;
${made.join('\n')}`;
}

/**
 * The body of a watch's function. What reads the rows is apart from what writes: a column that is gone after an upgrade
 * of the server must not fail the server's own statement, so that a failed reading is written as “look at everything of
 * this kind”. A block that only reads takes no transaction number of its own.
 */
export const functionBody = (watch: Watch, { bytesMax = outboxBytesMax }: Bounds = {}): string => `
DECLARE
  n bigint;
  hashes bigint;
  names jsonb;
  trouble text;
  written bigint;
BEGIN
  IF (SELECT o.last_value FROM ${schema}.overflow o) > 1 THEN RETURN NULL; END IF;
  IF TG_OP = 'TRUNCATE' THEN
    trouble := 'the table was emptied';
  ELSE
    BEGIN
      IF TG_OP = 'INSERT' THEN
        ${readingOf(ofOne(watch, 'new_rows'))}
      ELSIF TG_OP = 'DELETE' THEN
        ${readingOf(ofOne(watch, 'old_rows'))}
      ELSE
        ${readingOf(ofBoth(watch))}
      END IF;
    EXCEPTION WHEN OTHERS THEN
      n := NULL; hashes := NULL; names := NULL; trouble := SQLERRM;
    END;
    IF n = 0 THEN RETURN NULL; END IF;
    IF jsonb_array_length(names) > ${entriesMax} THEN names := NULL; END IF;
  END IF;
  INSERT INTO ${schema}.outbox (kind, op, source, entries, count, digest, why)
    VALUES ('${watch.kind}', lower(TG_OP), '${watch.table}', names, n, hashes, trouble) RETURNING id INTO written;
  IF written % ${lookEvery} = 0 AND pg_relation_size('${schema}.outbox') > ${bytesMax} THEN PERFORM setval('${schema}.overflow', 2); END IF;
  PERFORM pg_notify('${channel}', '');
  RETURN NULL;
END`;

/** The rows of one transition table that count, by the thing that they are of, and a hash of what counts in them. */
function ofOne({ key, name, columns, where }: Watch, table: string): string {
  const all = [key, ...(name === undefined ? [] : [name]), ...columns].map((column) => `c.${column}`);
  const condition = where === undefined ? '' : ` WHERE ${where}`;
  return `SELECT c.${key} AS key, ${name === undefined ? 'NULL::text' : `c.${name}::text`} AS name, hash_record_extended(ROW(${all.join(', ')}), 0) AS hash FROM ${table} c${condition}`;
}

/**
 * The rows before and after that are not the same in what counts. They are counted against each other by their hashes,
 * and not joined: a plan is kept from its first run, and one that joins well for one row does not for a million.
 */
const ofBoth = (watch: Watch): string => `SELECT key, name, hash FROM (
          SELECT b.*, 1 AS weight FROM (${ofOne(watch, 'new_rows')}) b UNION ALL SELECT b.*, -1 FROM (${ofOne(watch, 'old_rows')}) b
        ) both_of GROUP BY key, name, hash HAVING sum(weight) <> 0`;

/** How many rows, a hash of all of them in any order, and up to one more thing than a row names. */
const readingOf = (changed: string): string => `WITH changed AS (${changed})
        SELECT count(*), bit_xor(hash), (SELECT jsonb_agg(CASE WHEN name IS NULL THEN jsonb_build_array(key) ELSE jsonb_build_array(key, name) END)
          FROM (SELECT DISTINCT key, name FROM changed WHERE key IS NOT NULL LIMIT ${entriesMax + 1}) things)
        INTO n, hashes, names FROM changed;`;
