import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { wantChannel, wantSystem, wantSystems } from '../wanted.ts';

const channelShown = `f.id, f.org_id AS "orgId", f.label, f.name, f.description,
  json_build_object('id', t.id, 'label', t.label, 'name', t.name, 'priority', t.priority) AS "configChannelType"`;
const channels = 'rhnconfigchannel f JOIN rhnconfigchanneltype t ON t.id = f.confchan_type_id';

async function wantConfigChannel({ database, caller }: Call, label: string): Promise<number> {
  const [found] = await database.rows<{ id: number }>('SELECT id FROM rhnconfigchannel WHERE label = $1 AND org_id = $2', [
    label,
    caller.org,
  ]);
  if (!found) throw faults.noSuchChannel(label);
  return found.id;
}

async function createConfigChannel(
  call: Call,
  { label, name, description, type = 'normal' }: { label: string; name: string; description: string; type?: string },
): Promise<Value> {
  wantRole(call.caller, 'config_admin');
  const [made] = await call.database.rows(
    `WITH f AS (
       INSERT INTO rhnconfigchannel (id, org_id, confchan_type_id, name, label, description)
       SELECT nextval('rhn_confchan_id_seq'), $1, id, $2, $3, $4 FROM rhnconfigchanneltype WHERE label = $5
       ON CONFLICT DO NOTHING RETURNING *)
     SELECT ${channelShown} FROM f JOIN rhnconfigchanneltype t ON t.id = f.confchan_type_id`,
    [call.caller.org, name, label, description, type],
  );
  if (!made) throw faults.invalid(`A configuration channel ${label} cannot be made of type ${type}`);
  return made;
}

/** Puts a new revision of a file in a configuration channel, which has it from now on. */
async function putFile(call: Call, label: string, path: string, contents: string): Promise<Value> {
  wantRole(call.caller, 'config_admin');
  const { database, caller } = call;
  const channel = await wantConfigChannel(call, label);
  await database.rows(`INSERT INTO rhnconfigfilename (id, path) VALUES (nextval('rhn_cfname_id_seq'), $1) ON CONFLICT DO NOTHING`, [path]);
  const [file] = await database.rows<{ id: number }>(
    `INSERT INTO rhnconfigfile (id, config_channel_id, config_file_name_id)
     SELECT nextval('rhn_conffile_id_seq'), $1, id FROM rhnconfigfilename WHERE path = $2
     ON CONFLICT (config_channel_id, config_file_name_id) DO UPDATE SET modified = current_timestamp RETURNING id`,
    [channel, path],
  );
  const [revision] = await database.rows<{ id: number; revision: number }>(
    `WITH content AS (INSERT INTO rhnconfigcontent (id, contents, file_size)
       VALUES (nextval('rhn_confcontent_id_seq'), convert_to($2, 'UTF8'), octet_length($2)) RETURNING id)
     INSERT INTO rhnconfigrevision (id, revision, config_file_id, config_content_id, changed_by_id)
     SELECT nextval('rhn_confrevision_id_seq'), coalesce((SELECT max(revision) FROM rhnconfigrevision WHERE config_file_id = $1), 0) + 1, $1, content.id, $3
     FROM content RETURNING id, revision`,
    [file?.id, contents, caller.id],
  );
  await database.rows('UPDATE rhnconfigfile SET latest_config_revision_id = $2 WHERE id = $1', [file?.id, revision?.id]);
  return { type: 'file', path, channel: label, contents, revision: revision?.revision ?? 1 };
}

async function setConfigChannels(call: Call, given: readonly number[], labels: readonly string[], isAll: boolean): Promise<number> {
  const sids = await wantSystems(call, given);
  const ids: number[] = [];
  for (const label of labels) ids.push(await wantConfigChannel(call, label));
  if (isAll)
    await call.database.rows('DELETE FROM rhnserverconfigchannel WHERE server_id = ANY($1) AND config_channel_id <> ALL($2)', [sids, ids]);
  await call.database.rows(
    `INSERT INTO rhnserverconfigchannel (server_id, config_channel_id, position)
     SELECT sid, c.id, c.position FROM unnest($1::numeric[]) sid CROSS JOIN unnest($2::numeric[]) WITH ORDINALITY c(id, position)
     ON CONFLICT (server_id, config_channel_id) DO ${isAll ? 'UPDATE SET position = excluded.position' : 'NOTHING'}`,
    [sids, ids],
  );
  return 1;
}

const keyShown = `k.token AS key, r.note AS description, coalesce(r.usage_limit, 0) AS usage_limit, r.disabled = 1 AS disabled, false AS universal_default,
  coalesce((SELECT c.label FROM rhnregtokenchannels tc JOIN rhnchannel c ON c.id = tc.channel_id
    WHERE tc.token_id = r.id AND c.parent_channel IS NULL), 'none') AS base_channel_label,
  (SELECT coalesce(json_agg(c.label ORDER BY c.label), '[]') FROM rhnregtokenchannels tc JOIN rhnchannel c ON c.id = tc.channel_id
    WHERE tc.token_id = r.id AND c.parent_channel IS NOT NULL) AS child_channel_labels,
  (SELECT coalesce(json_agg(tg.server_group_id::text ORDER BY tg.server_group_id), '[]') FROM rhnregtokengroups tg WHERE tg.token_id = r.id) AS server_group_ids,
  json_build_array('salt_entitled') AS entitlements, '[]'::json AS packages, '[]'::json AS package_names, 'default' AS contact_method`;
const keys = 'rhnactivationkey k JOIN rhnregtoken r ON r.id = k.reg_token_id AND r.server_id IS NULL';

type NewKey = { readonly key: string; readonly description: string; readonly baseChannelLabel: string; readonly usageLimit?: number };

async function createKey(call: Call, { key, description, baseChannelLabel, usageLimit }: NewKey): Promise<Value> {
  wantRole(call.caller, 'activation_key_admin');
  const token = `${call.caller.org}-${key}`;
  const base = baseChannelLabel === '' ? undefined : await wantChannel(call, baseChannelLabel);
  if ((await call.database.rows('SELECT 1 FROM rhnactivationkey WHERE token = $1', [token])).length > 0)
    throw faults.invalid(`The activation key ${token} is there already`);
  const [made] = await call.database.rows<{ id: number }>(
    `INSERT INTO rhnregtoken (id, org_id, user_id, note, usage_limit) VALUES (nextval('rhn_reg_token_seq'), $1, $2, $3, $4) RETURNING id`,
    [call.caller.org, call.caller.id, description, usageLimit ?? null],
  );
  await call.database.rows('INSERT INTO rhnactivationkey (token, reg_token_id) VALUES ($1, $2)', [token, made?.id]);
  if (base) await call.database.rows('INSERT INTO rhnregtokenchannels (token_id, channel_id) VALUES ($1, $2)', [made?.id, base.id]);
  return token;
}

const projectShown = `id, label, name, coalesce(description, '') AS description, org_id AS "orgId",
  coalesce((SELECT e.label FROM susecontentenvironment e WHERE e.project_id = p.id ORDER BY e.id LIMIT 1), '') AS "firstEnvironment"`;
const file = { label: 'string', path: 'string', isDir: 'boolean', pathInfo: 'struct' } as const;
const newKey = { key: 'string', description: 'string', baseChannelLabel: 'string' } as const;

/** Configuration channels and files, activation keys, projects of content. */
export const contentMethods: readonly Method[] = [
  reads('configchannel.listGlobals', {}, ({ database, caller }) =>
    database.rows(`SELECT ${channelShown} FROM ${channels} WHERE f.org_id = $1 ORDER BY f.label`, [caller.org]),
  ),
  writes('configchannel.create', { label: 'string', name: 'string', description: 'string' }, createConfigChannel),
  writes('configchannel.create', { label: 'string', name: 'string', description: 'string', type: 'string' }, createConfigChannel),
  writes('configchannel.createOrUpdatePath', file, (call, { label, path, pathInfo }) =>
    putFile(call, label, path, String(pathInfo['contents'] ?? '')),
  ),
  reads('configchannel.listFiles', { label: 'string' }, async (call, { label }) =>
    call.database.rows(
      `SELECT 'file' AS type, n.path, f.modified AS last_modified FROM rhnconfigfile f JOIN rhnconfigfilename n ON n.id = f.config_file_name_id
       WHERE f.config_channel_id = $1 ORDER BY n.path`,
      [await wantConfigChannel(call, label)],
    ),
  ),
  reads('system.config.listChannels', { sid: 'int' }, async (call, { sid }) =>
    call.database.rows(
      `SELECT ${channelShown} FROM ${channels} JOIN rhnserverconfigchannel s ON s.config_channel_id = f.id WHERE s.server_id = $1 ORDER BY s.position`,
      [await wantSystem(call, sid)],
    ),
  ),
  writes(
    'system.config.addChannels',
    { sids: 'int[]', configChannelLabels: 'string[]', addToTop: 'boolean' },
    (call, { sids, configChannelLabels }) => setConfigChannels(call, sids, configChannelLabels, false),
  ),
  writes('system.config.setChannels', { sids: 'int[]', configChannelLabels: 'string[]' }, (call, { sids, configChannelLabels }) =>
    setConfigChannels(call, sids, configChannelLabels, true),
  ),
  reads('activationkey.listActivationKeys', {}, ({ database, caller }) =>
    database.rows(`SELECT ${keyShown} FROM ${keys} WHERE r.org_id = $1 ORDER BY k.token`, [caller.org]),
  ),
  reads('activationkey.getDetails', { key: 'string' }, async ({ database }, { key }) => {
    const [found] = await database.rows(`SELECT ${keyShown} FROM ${keys} WHERE k.token = $1`, [key]);
    if (!found) throw faults.noSuchKey(key);
    return found;
  }),
  writes('activationkey.create', { ...newKey, entitlements: 'string[]', universalDefault: 'boolean' }, createKey),
  writes('activationkey.create', { ...newKey, usageLimit: 'int', entitlements: 'string[]', universalDefault: 'boolean' }, createKey),
  writes('activationkey.delete', { key: 'string' }, async (call, { key }) => {
    wantRole(call.caller, 'activation_key_admin');
    const gone = await call.database.rows(
      'DELETE FROM rhnregtoken WHERE id = (SELECT reg_token_id FROM rhnactivationkey WHERE token = $1) RETURNING id',
      [key],
    );
    if (gone.length === 0) throw faults.noSuchKey(key);
    return 1;
  }),
  reads('contentmanagement.listProjects', {}, ({ database, caller }) =>
    database.rows(`SELECT ${projectShown} FROM susecontentproject p WHERE org_id = $1 ORDER BY label`, [caller.org]),
  ),
  writes(
    'contentmanagement.createProject',
    { projectLabel: 'string', name: 'string', description: 'string' },
    async (call, { projectLabel, name, description }) => {
      wantRole(call.caller);
      const [made] = await call.database.rows(
        `INSERT INTO susecontentproject AS p (id, label, name, description, org_id) VALUES (nextval('suse_ct_project_seq'), $1, $2, $3, $4)
       ON CONFLICT DO NOTHING RETURNING ${projectShown}`,
        [projectLabel, name, description, call.caller.org],
      );
      if (!made) throw faults.invalid(`There is a project ${projectLabel}, or one of that name`);
      return made;
    },
  ),
  writes('contentmanagement.removeProject', { projectLabel: 'string' }, async (call, { projectLabel }) => {
    wantRole(call.caller);
    const gone = await call.database.rows('DELETE FROM susecontentproject WHERE label = $1 RETURNING id', [projectLabel]);
    if (gone.length === 0) throw faults.invalid(`There is no project ${projectLabel}`);
    return 1;
  }),
  reads('maintenance.listScheduleNames', {}, async ({ database, caller }) =>
    (await database.rows<{ name: string }>('SELECT name FROM susemaintenanceschedule WHERE org_id = $1 ORDER BY name', [caller.org])).map(
      ({ name }) => name,
    ),
  ),
  writes('maintenance.createSchedule', { name: 'string', type: 'string' }, async ({ database, caller }, { name, type }) => {
    const [made] = await database.rows(
      `INSERT INTO susemaintenanceschedule (id, org_id, name, sched_type) VALUES (nextval('suse_mtsched_id_seq'), $1, $2, $3)
       ON CONFLICT DO NOTHING RETURNING id, org_id AS "orgId", name, sched_type AS type`,
      [caller.org, name, type],
    );
    if (!made) throw faults.invalid(`There is a maintenance schedule ${name} already`);
    return made;
  }),
  writes(
    'maintenance.assignScheduleToSystems',
    { scheduleName: 'string', sids: 'int[]', rescheduleStrategy: 'string[]' },
    async (call, { scheduleName, sids }) => {
      const given = await wantSystems(call, sids);
      const done = await call.database.rows<{ id: number }>(
        `UPDATE rhnserver s SET maintenance_schedule_id = m.id FROM susemaintenanceschedule m
         WHERE s.id = ANY($1) AND m.name = $2 AND m.org_id = $3 RETURNING s.id`,
        [given, scheduleName, call.caller.org],
      );
      if (done.length === 0) throw faults.invalid(`There is no maintenance schedule ${scheduleName}`);
      return done.map(({ id }) => id);
    },
  ),
  writes('maintenance.retractScheduleFromSystems', { sids: 'int[]' }, async (call, { sids }) => {
    const given = await wantSystems(call, sids);
    await call.database.rows('UPDATE rhnserver SET maintenance_schedule_id = NULL WHERE id = ANY($1)', [given]);
    return given;
  }),
];
