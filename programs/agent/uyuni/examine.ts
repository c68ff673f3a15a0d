import * as z from 'zod';
import { functionOf, identitySql, triggers, version } from '../../../lib/uyuni/outbox/installation.ts';
import { schema } from '../../../lib/uyuni/outbox/names.ts';
import { functionBody } from '../../../lib/uyuni/outbox/trigger.ts';
import { wantedColumns, watched } from '../../../lib/uyuni/outbox/watched.ts';
import { type Check, missing, well } from '../doctor/check.ts';
import type { Session } from './session.ts';

/** The oldest PostgreSQL with everything that the triggers use: hashes of whole records. */
const postgresMin = 140_000;

/** What the server's own database must have before anything is installed. */
export async function examineServer(session: Session): Promise<readonly Check[]> {
  return [await postgresVersion(session), await schemaVersion(session), ...(await tables(session))];
}

async function postgresVersion(session: Session): Promise<Check> {
  const [{ number, name }] = z
    .tuple([z.object({ number: z.coerce.number(), name: z.string() })])
    .parse(await session.rows(`SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name`));
  return number >= postgresMin
    ? well('postgresql', `version ${name}`)
    : missing('postgresql', `version ${name} is older than 14`, 'upgrade the server');
}

/** The version of the server's schema is for people: what counts is whether its columns are there. */
async function schemaVersion(session: Session): Promise<Check> {
  if (!(await hasTable(session, 'rhnversioninfo')))
    return missing('schema', 'this is not the database of a Uyuni server', 'compare db_name in rhn.conf');
  const rows = z.array(z.object({ name: z.string() })).parse(
    await session.rows(
      `SELECT n.name || ' ' || e.version || '-' || e.release AS name FROM rhnversioninfo v
       JOIN rhnpackagename n ON n.id = v.name_id JOIN (SELECT id, (to_jsonb(r) ->> 'version') AS version, (to_jsonb(r) ->> 'release') AS release
       FROM rhnpackageevr r) e ON e.id = v.evr_id WHERE v.label = 'schema'`,
    ),
  );
  return well('schema', rows[0]?.name ?? 'of an unknown version');
}

/** The tables that are watched, each with all columns that count. */
async function tables(session: Session): Promise<readonly Check[]> {
  const wanted = wantedColumns();
  const rows = z.array(z.object({ table: z.string(), columns: z.array(z.string()) })).parse(
    await session.rows(
      `SELECT c.relname AS table, array_agg(a.attname::text) AS columns FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.oid = to_regclass(quote_ident(c.relname)) AND c.relname = ANY($1) AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped GROUP BY 1`,
      [[...wanted.keys()]],
    ),
  );
  const found = new Map(rows.map(({ table, columns }) => [table, columns]));
  const lacking = [...wanted].flatMap(([table, columns]) => {
    const has = found.get(table);
    if (has === undefined) return [`table ${table}`];
    return columns.filter((column) => !has.includes(column)).map((column) => `column ${table}.${column}`);
  });
  if (lacking.length === 0) return [well('tables', `${wanted.size} tables have the columns that are watched`)];
  return lacking.map((what) => missing('tables', `there is no ${what}`, 'this version of the server is not supported'));
}

/** Whether there is a table of this name. */
async function hasTable(session: Session, name: string): Promise<boolean> {
  const [found] = z.tuple([z.object({ is: z.boolean() })]).parse(await session.rows('SELECT to_regclass($1) IS NOT NULL AS is', [name]));
  return found.is;
}

const Installed = z.object({ version: z.number(), isSame: z.boolean() });

/** What of the outbox is installed; one finding that it is missing where nothing is. */
export async function examineInstallation(session: Session): Promise<readonly Check[]> {
  if (!(await hasTable(session, `${schema}.installation`)))
    return [missing('outbox', 'it is not installed', 'run muster-agent uyuni install')];
  const mend = 'run muster-agent uyuni install again';
  const [installed] = z.array(Installed).parse(await session.rows(installedSql));
  const lacking = [...(await lackingTriggers(session)), ...(await otherFunctions(session))];
  return [
    installed?.version === version
      ? well('outbox', `version ${version}`)
      : missing('outbox', `version ${installed?.version ?? 'unknown'} in place of ${version}`, mend),
    installed?.isSame === true
      ? well('database', 'the one that the outbox was installed in')
      : missing('database', 'a copy of the one that the outbox was installed in, or restored', mend),
    ...(lacking.length === 0
      ? [well('triggers', `${triggers().length} triggers`)]
      : lacking.map((what) => missing('triggers', what, mend))),
  ];
}

/** Whether this is still the database that the outbox was installed in, and not a copy of it. */
const installedSql = `
  SELECT i.version, (i.system_identifier, i.timeline, i.database_oid, i.outbox_oid) = (${identitySql}) AS "isSame"
  FROM ${schema}.installation i`;

/** Whether the outbox is in the database that it was installed in; undefined where there is none. */
export async function isInItsDatabase(session: Session): Promise<boolean | undefined> {
  if (!(await hasTable(session, `${schema}.installation`))) return undefined;
  return z.array(Installed).parse(await session.rows(installedSql))[0]?.isSame ?? false;
}

async function lackingTriggers(session: Session): Promise<readonly string[]> {
  const rows = z.array(z.object({ table: z.string(), name: z.string(), fires: z.boolean() })).parse(
    await session.rows(
      `SELECT c.relname AS table, t.tgname AS name, t.tgenabled IN ('O', 'A') AS fires
       FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal AND t.tgname LIKE 'muster\\_%'`,
    ),
  );
  const found = new Map(rows.map(({ table, name, fires }) => [`${table} ${name}`, fires]));
  return triggers().flatMap(({ table, name }) => {
    const fires = found.get(`${table} ${name}`);
    if (fires === undefined) return [`there is no ${name} of ${table}`];
    return fires ? [] : [`${name} of ${table} is switched off`];
  });
}

/** Functions with another text than this version installs, but for the bound of the outbox. */
async function otherFunctions(session: Session): Promise<readonly string[]> {
  const rows = z
    .array(z.object({ name: z.string(), body: z.string() }))
    .parse(
      await session.rows(
        `SELECT n.nspname || '.' || p.proname AS name, p.prosrc AS body FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = '${schema}'`,
      ),
    );
  const found = new Map(rows.map(({ name, body }) => [name, withoutBound(body)]));
  return watched.flatMap((watch) =>
    found.get(functionOf(watch)) === withoutBound(functionBody(watch))
      ? []
      : [`the function ${functionOf(watch)} is another than this version has`],
  );
}

const withoutBound = (body: string): string => body.replace(/(pg_relation_size\([^)]*\) > )\d+/, '$1');
