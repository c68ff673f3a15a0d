import { minionPemOf } from '../minion-keys.ts';
import type { Database } from './database.ts';
import type { KeyFolders } from './salt/key-folders.ts';

/** What a server is filled with: so many systems, which are named `PREFIX-00001.acme.test` and so on. */
export type Filling = { readonly systems: number; readonly prefix: string };

/** The machine of the nth system, as `aMinion` takes it. */
export const machineOf = (prefix: string, n: number): string => `${prefix}${n}`;

/** The name of the nth system, from 1, which is its minion's id too. */
export const nameOf = (prefix: string, n: number): string => `${prefix}-${String(n).padStart(5, '0')}.acme.test`;

const named = `$2 || '-' || lpad(n::text, 5, '0') || '.acme.test'`;

/** What is there for systems before they are: channels with errata, groups, custom keys. */
const content = `
  INSERT INTO rhnchannel (id, parent_channel, org_id, channel_arch_id, label, basedir, name, summary) VALUES
    (nextval('rhn_channel_id_seq'), NULL, 1, 1, 'leap-x86_64', 'leap', 'Leap x86_64', 'Leap'),
    (nextval('rhn_channel_id_seq'), NULL, 1, 1, 'sles-x86_64', 'sles', 'SLES x86_64', 'SLES');
  INSERT INTO rhnchannel (id, parent_channel, org_id, channel_arch_id, label, basedir, name, summary)
    SELECT nextval('rhn_channel_id_seq'), c.id, 1, 1, split_part(c.label, '-', 1) || '-' || part || '-x86_64', part, c.name || ' ' || part, part
    FROM rhnchannel c CROSS JOIN unnest(ARRAY['updates', 'tools']) part WHERE c.parent_channel IS NULL;
  INSERT INTO rhnerrata (id, advisory, advisory_name, advisory_type, advisory_rel, product, synopsis, solution)
    SELECT nextval('rhn_errata_id_seq'), 'ACME-' || n, 'ACME-' || n, 'Security Advisory', 1, 'Leap', 'Advisory ' || n, 'Update' FROM generate_series(1, 40) n;
  INSERT INTO rhnchannelerrata (channel_id, errata_id)
    SELECT c.id, e.id FROM rhnchannel c, rhnerrata e WHERE c.label LIKE '%-updates-%';
  INSERT INTO rhnservergroup (id, name, description, org_id)
    SELECT nextval('rhn_server_group_id_seq'), name, 'Systems of ' || name, 1 FROM unnest(ARRAY['web', 'database', 'storage', 'branch']) name;
  INSERT INTO rhncustomdatakey (id, org_id, label, description)
    SELECT nextval('rhn_cdatakey_id_seq'), 1, label, label FROM unnest(ARRAY['owner', 'site']) label;`;

/**
 * The systems, each with a base channel and its children, a group, an owner and a site; every tenth with a note, every
 * twentieth with a formula.
 */
const systems: readonly string[] = [
  `INSERT INTO rhnserver (id, org_id, digital_server_id, server_arch_id, os, release, name, hostname, secret, machine_id, running_kernel, last_boot)
   SELECT nextval('rhn_server_id_seq'), 1, ${named}, 1, 'Leap', '15.6', ${named}, ${named}, md5($2 || n), md5('machine ' || $2 || n), '6.4.0', 1767225600
   FROM generate_series(1, $1::int) n`,
  `INSERT INTO suseminioninfo (server_id, minion_id, os_family) SELECT id, name, 'Suse' FROM new_servers`,
  `INSERT INTO rhnserverinfo (server_id) SELECT id FROM new_servers`,
  `INSERT INTO rhnservergroupmembers (server_id, server_group_id)
   SELECT s.id, g.id FROM new_servers s JOIN rhnservergroup g ON g.name = 'Salt' OR g.name = (ARRAY['web', 'database', 'storage', 'branch'])[s.id::int % 4 + 1]`,
  `UPDATE rhnservergroup g SET current_members = (SELECT count(*) FROM rhnservergroupmembers m WHERE m.server_group_id = g.id)`,
  `INSERT INTO rhnserverchannel (server_id, channel_id)
   SELECT s.id, c.id FROM new_servers s JOIN rhnchannel c ON c.label LIKE CASE WHEN s.id % 3 = 0 THEN 'sles-%' ELSE 'leap-%' END`,
  `INSERT INTO rhnservercustomdatavalue (server_id, key_id, value)
   SELECT s.id, k.id, CASE k.label WHEN 'owner' THEN 'team-' || s.id % 12 ELSE 'site-' || s.id % 40 END FROM new_servers s CROSS JOIN rhncustomdatakey k`,
  `INSERT INTO rhnservernotes (id, server_id, subject, note)
   SELECT nextval('rhn_server_note_id_seq'), id, 'Handed over', 'By the team before' FROM new_servers WHERE id % 10 = 0`,
  `INSERT INTO susesaltpillar (id, server_id, category, pillar)
   SELECT nextval('suse_salt_pillar_id_seq'), id, 'formula-locale', '{"locale": {"timezone": "UTC"}}' FROM new_servers WHERE id % 20 = 0`,
  `INSERT INTO rhnserverhistory (id, server_id, summary) SELECT nextval('rhn_event_id_seq'), id, 'The system was registered' FROM new_servers`,
];

/** Fills a server with content, systems, and the accepted keys of their minions, all at once. */
export async function fill(database: Database, keys: KeyFolders, { systems: count, prefix }: Filling): Promise<void> {
  await database.transaction(async (inside) => {
    await inside.rows(`DO $do$ BEGIN IF NOT EXISTS (SELECT FROM rhnchannel) THEN ${content} END IF; END $do$`);
    const [first, ...others] = systems;
    const before = `CREATE TEMPORARY VIEW new_servers AS SELECT * FROM rhnserver WHERE id > ${await lastId(inside)}`;
    await inside.rows(first!, [count, prefix]);
    await inside.rows(before);
    for (const statement of others) await inside.rows(statement);
    await inside.rows('DROP VIEW new_servers');
  });
  await database.rows('ANALYZE');
  for (let n = 1; n <= count; n++) {
    const id = nameOf(prefix, n);
    keys.put('accepted', id, minionPemOf(id));
  }
}

async function lastId(database: Database): Promise<number> {
  const [found] = await database.rows<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM rhnserver');
  return found?.id ?? 0;
}
