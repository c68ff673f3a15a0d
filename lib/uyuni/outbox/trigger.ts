import { channel, schema } from './names.ts';
import type { Watch } from './watched.ts';

/** The most things that a row names one by one. */
export const entriesMax = 100;
/**
 * How large the table may grow before it is cut down to “look at everything”, in bytes: a week of a change a second, of
 * about 125 bytes each, and more than half of that again.
 */
export const outboxBytesMax = 128 * 2 ** 20;
/** Every so many rows a trigger looks how large the table is. */
const lookEvery = 256;

/** The size from which on a table is too large, where it is not {@link outboxBytesMax}. */
export type Bounds = { readonly bytesMax?: number };

/**
 * The body of the function that a watch's triggers call, in PL/pgSQL. What reads the rows is apart from what writes: a
 * column that is gone after an upgrade of the server must not fail the server's own statement. A failed reading is
 * written as “look at everything of this kind”. A block that only reads takes no transaction number of its own.
 */
export const functionBody = (watch: Watch, { bytesMax = outboxBytesMax }: Bounds = {}): string => `
DECLARE
  n bigint; hashes bigint; differs boolean;
  low numeric; high numeric; low_name text; high_name text;
  names jsonb; trouble text; written bigint; wake bigint;
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    trouble := 'the table was emptied';
  ELSE
    BEGIN
      IF TG_OP = 'INSERT' THEN
        ${counted(ofOne(watch, 'new_rows'))}
      ELSIF TG_OP = 'DELETE' THEN
        ${counted(ofOne(watch, 'old_rows'))}
      ELSE
        ${ofSingle(watch)}
        IF n <> 1 THEN
          ${counted(ofBoth(watch))}
        ELSIF differs THEN
          n := 2;
        ELSE
          n := 0;
        END IF;
      END IF;
      IF n = 0 THEN RETURN NULL; END IF;
      IF low = high AND low_name IS NOT DISTINCT FROM high_name THEN
        names := CASE WHEN low_name IS NULL THEN jsonb_build_array(jsonb_build_array(low)) ELSE jsonb_build_array(jsonb_build_array(low, low_name)) END;
      ELSIF TG_OP = 'INSERT' THEN
        ${named(ofOne(watch, 'new_rows'))}
      ELSIF TG_OP = 'DELETE' THEN
        ${named(ofOne(watch, 'old_rows'))}
      ELSE
        ${named(ofBoth(watch))}
      END IF;
      IF jsonb_array_length(names) > ${entriesMax} THEN names := NULL; END IF;
    EXCEPTION WHEN OTHERS THEN
      n := NULL; hashes := NULL; names := NULL; trouble := SQLERRM;
    END;
  END IF;
  INSERT INTO ${schema}.outbox (kind, op, source, entries, count, digest, why)
    SELECT '${watch.kind}', lower(TG_OP), '${watch.table}', names, n, hashes, trouble FROM ${schema}.overflow o WHERE o.last_value = 1
    RETURNING id, (SELECT w.last_value FROM ${schema}.wake w) INTO written, wake;
  IF written % ${lookEvery} = 0 AND pg_relation_size('${schema}.outbox') > ${bytesMax} THEN PERFORM setval('${schema}.overflow', 2); END IF;
  IF wake = 1 THEN
    PERFORM setval('${schema}.wake', 2);
    PERFORM pg_notify('${channel}', '');
  END IF;
  RETURN NULL;
END`;

/** The rows of one transition table that count, by the thing that they are of, and a hash of what counts in them. */
function ofOne({ key, name, columns, where }: Watch, table: string): string {
  const all = [key, ...(name === undefined ? [] : [name]), ...columns].map((column) => `c.${column}`);
  const named = name === undefined ? 'NULL::text' : `c.${name}::text`;
  const condition = where === undefined ? '' : ` WHERE ${where}`;
  return `SELECT c.${key} AS key, ${named} AS name, hash_record_extended(ROW(${all.join(', ')}), 0) AS hash FROM ${table} c${condition}`;
}

/**
 * The rows before and after that are not the same in what counts. They are counted against each other by their hashes,
 * and not joined: a plan is kept from its first run, and one that joins well for one row does not for a million.
 */
const ofBoth = (watch: Watch): string => `SELECT key, name, hash FROM (
            SELECT b.*, 1 AS weight FROM (${ofOne(watch, 'new_rows')}) b UNION ALL SELECT b.*, -1 FROM (${ofOne(watch, 'old_rows')}) b
          ) both_of GROUP BY key, name, hash HAVING sum(weight) <> 0`;

/** An update of a single row, which most are, in half the time: `n` is 1 for one row before and one after. */
const ofSingle = (
  watch: Watch,
): string => `SELECT count(*), bool_or(p.was <> p.hash), bit_xor(p.was # p.hash), min(least(p.key, p.old_key)), max(greatest(p.key, p.old_key)),
            min(least(p.name, p.old_name)), max(greatest(p.name, p.old_name))
          INTO n, differs, hashes, low, high, low_name, high_name
          FROM (SELECT a.key, a.name, a.hash, b.key AS old_key, b.name AS old_name, b.hash AS was
            FROM (${ofOne(watch, 'new_rows')}) a CROSS JOIN (${ofOne(watch, 'old_rows')}) b LIMIT 2) p;`;

/** How many rows, a hash of all of them in any order, and the things at both ends: most often it is one. */
const counted = (changed: string): string =>
  `SELECT count(*), bit_xor(hash), min(key), max(key), min(name), max(name) INTO n, hashes, low, high, low_name, high_name FROM (${changed}) changed;`;

/** The things, and one more than a row names where there are more. */
const named = (changed: string): string =>
  `SELECT jsonb_agg(CASE WHEN name IS NULL THEN jsonb_build_array(key) ELSE jsonb_build_array(key, name) END) INTO names
          FROM (SELECT DISTINCT key, name FROM (${changed}) changed WHERE key IS NOT NULL LIMIT ${entriesMax + 1}) things;`;
