import { schema } from './names.ts';
import { type Bounds, functionBody } from './trigger.ts';
import { type Watch, watched } from './watched.ts';

/** The version of the installation: another one is installed anew. */
export const version = 1;

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

/** What tells this database from all others, also from a copy of it, in the columns of the table `installation`. */
export const identitySql = `SELECT s.system_identifier::text AS system_identifier, c.timeline_id AS timeline, d.oid AS database_oid,
    '${schema}.outbox'::regclass::oid AS outbox_oid
  FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database()`;

/**
 * The tables. Two sequences stand for flags, since their values are seen at once, roll back with nobody, and are read
 * without a lock: `overflow` is 2 when the outbox is full and nothing more is written, `wake` is 2 when a listener has
 * been woken and has not looked yet. Transactions that notify commit one after another, so only the first one notifies.
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
  SELECT ${version}, this.* FROM (${identitySql}) this;
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
