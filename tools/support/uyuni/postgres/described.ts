import type { Database } from '../database.ts';

/** What a database is made of, but for its rows: a line for each part, in the words of PostgreSQL itself. */
const parts = [
  `SELECT 'schema ' || nspname || ' of ' || nspowner::regrole || ' ' || coalesce(nspacl::text, '') FROM pg_namespace WHERE nspname !~ '^pg_'`,
  `SELECT 'relation ' || c.oid::regclass || ' ' || c.relkind::text || ' of ' || c.relowner::regrole || ' ' || coalesce(c.relacl::text, '') || ' ' ||
     coalesce(c.reloptions::text, '') || ' ' || c.relpersistence::text || ' ' || c.relreplident::text
   FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname !~ '^(pg_|information_schema)'`,
  `SELECT 'column ' || c.oid::regclass || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull || ' ' ||
     coalesce(pg_get_expr(d.adbin, d.adrelid), '')
   FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
   LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
   WHERE n.nspname !~ '^(pg_|information_schema)' AND a.attnum > 0 AND NOT a.attisdropped`,
  `SELECT 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(c.oid)
   FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace WHERE n.nspname !~ '^(pg_|information_schema)'`,
  `SELECT 'index ' || pg_get_indexdef(indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
   JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname !~ '^(pg_|information_schema)'`,
  `SELECT 'trigger ' || pg_get_triggerdef(oid) || ' ' || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal`,
  `SELECT 'function ' || pg_get_functiondef(p.oid) || ' of ' || proowner::regrole || ' ' || coalesce(proacl::text, '')
   FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname !~ '^(pg_|information_schema)' AND p.prokind IN ('f', 'p')`,
  `SELECT 'type ' || t.oid::regtype || ' ' || typtype::text FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
   WHERE n.nspname !~ '^(pg_|information_schema)'`,
  `SELECT 'event trigger ' || evtname FROM pg_event_trigger`,
  `SELECT 'extension ' || extname FROM pg_extension`,
  `SELECT 'publication ' || pubname FROM pg_publication`,
  `SELECT 'setting ' || coalesce(setrole::regrole::text, '') || ' ' || setconfig::text FROM pg_db_role_setting`,
  `SELECT 'role ' || rolname || ' ' || rolsuper || rolcanlogin || rolcreaterole || rolreplication || ' ' || coalesce(rolconfig::text, '')
   FROM pg_roles WHERE rolname !~ '^pg_'`,
  `SELECT 'default right ' || defaclrole::regrole || ' ' || defaclacl::text FROM pg_default_acl`,
  `SELECT 'comment ' || objoid::text || ' ' || description FROM pg_description d JOIN pg_class c ON c.oid = d.objoid
   JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname !~ '^(pg_|information_schema)'`,
];

/** All that a database is made of, but for its rows, as lines in order: two that are equal have the same schema. */
export async function describedSchema(database: Database): Promise<string> {
  const [found] = await database.rows<{ all: string }>(
    `SELECT string_agg(line, E'\\n' ORDER BY line) AS all FROM (${parts.join('\nUNION ALL\n')}) lines(line)`,
  );
  return found?.all ?? '';
}
