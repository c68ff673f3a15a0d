import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { textIn, wantSystem, wantSystems } from '../wanted.ts';

type Struct = { readonly [name: string]: Value };

const channelShown = `f.id, f.org_id AS "orgId", f.label, f.name, f.description,
  json_build_object('id', t.id, 'label', t.label, 'name', t.name, 'priority', t.priority) AS "configChannelType"`;
const channels = 'rhnconfigchannel f JOIN rhnconfigchanneltype t ON t.id = f.confchan_type_id';

/** The number of a configuration channel of the caller's organisation. Throws a fault where there is none. */
export async function wantConfigChannel({ database, caller }: Call, label: string): Promise<number> {
  const [found] = await database.rows<{ id: number }>('SELECT id FROM rhnconfigchannel WHERE label = $1 AND org_id = $2', [
    label,
    caller.org,
  ]);
  if (!found) throw faults.noSuchChannel(label);
  return found.id;
}

/** Configuration channels as the API shows them, of a condition with one value. */
export const configChannelsOf = ({ database }: Pick<Call, 'database'>, condition: string, value: unknown): Promise<Struct[]> =>
  database.rows(`SELECT ${channelShown} FROM ${channels} ${condition}`, [value]);

type NewChannel = {
  readonly label: string;
  readonly name: string;
  readonly description: string;
  readonly type?: string;
  readonly pathInfo?: Struct;
};

async function createConfigChannel(call: Call, { label, name, description, type = 'normal', pathInfo }: NewChannel): Promise<Value> {
  wantRole(call.caller, 'config_admin');
  const [made] = await call.database.rows<{ id: number }>(
    `INSERT INTO rhnconfigchannel (id, org_id, confchan_type_id, name, label, description)
     SELECT nextval('rhn_confchan_id_seq'), $1, id, $2, $3, $4 FROM rhnconfigchanneltype WHERE label = $5
     ON CONFLICT DO NOTHING RETURNING id`,
    [call.caller.org, name, label, description, type],
  );
  if (!made) throw faults.invalid(`A configuration channel ${label} cannot be made of type ${type}`);
  if (type === 'state') await putFile(call, label, '/init.sls', { ...pathInfo, type: 'sls' });
  return (await configChannelsOf(call, 'WHERE f.id = $1', made.id))[0] ?? null;
}

/** Puts a new revision of a file, folder or link in a configuration channel, which has it from now on. */
async function putFile(call: Call, label: string, path: string, info: Struct): Promise<Value> {
  wantRole(call.caller, 'config_admin');
  const { database, caller } = call;
  const channel = await wantConfigChannel(call, label);
  const named = await nameOf(call, path);
  const [file] = await database.rows<{ id: number }>(
    `INSERT INTO rhnconfigfile (id, config_channel_id, config_file_name_id) VALUES (nextval('rhn_conffile_id_seq'), $1, $2)
     ON CONFLICT (config_channel_id, config_file_name_id) DO UPDATE SET modified = current_timestamp RETURNING id`,
    [channel, named],
  );
  const [revision] = await database.rows<{ id: number }>(
    `INSERT INTO rhnconfigrevision (id, revision, config_file_id, config_content_id, config_info_id, config_file_type_id, changed_by_id)
     SELECT nextval('rhn_confrevision_id_seq'), coalesce((SELECT max(revision) FROM rhnconfigrevision WHERE config_file_id = $1), 0) + 1,
       $1, $2, $3, (SELECT id FROM rhnconfigfiletype WHERE label = $4), $5 RETURNING id`,
    [file?.id, await contentIn(call, info), await infoIn(call, info), textIn(info, 'type') ?? 'file', caller.id],
  );
  await database.rows('UPDATE rhnconfigfile SET latest_config_revision_id = $2 WHERE id = $1', [file?.id, revision?.id]);
  return (await filesOf(call, label, [path]))[0] ?? null;
}

async function nameOf({ database }: Call, path: string): Promise<number | undefined> {
  await database.rows(`INSERT INTO rhnconfigfilename (id, path) VALUES (nextval('rhn_cfname_id_seq'), $1) ON CONFLICT DO NOTHING`, [path]);
  return (await database.rows<{ id: number }>('SELECT id FROM rhnconfigfilename WHERE path = $1', [path]))[0]?.id;
}

async function contentIn({ database }: Call, info: Struct): Promise<number | null> {
  const type = textIn(info, 'type') ?? 'file';
  if (type === 'directory' || type === 'symlink') return null;
  const text = textIn(info, 'contents') ?? '';
  const bytes = info['contents_enc64'] === true ? Buffer.from(text, 'base64') : Buffer.from(text, 'utf8');
  const [made] = await database.rows<{ id: number }>(
    `INSERT INTO rhnconfigcontent (id, contents, file_size, is_binary, delim_start, delim_end)
     VALUES (nextval('rhn_confcontent_id_seq'), $1, $2, $3, $4, $5) RETURNING id`,
    [
      ...[bytes, bytes.length, info['binary'] === true ? 'Y' : 'N'],
      ...[textIn(info, 'macro-start-delimiter') || '{|', textIn(info, 'macro-end-delimiter') || '|}'],
    ],
  );
  return made?.id ?? null;
}

async function infoIn(call: Call, info: Struct): Promise<number | null> {
  const type = textIn(info, 'type') ?? 'file';
  if (type === 'sls') return null;
  const target = type === 'symlink' ? await nameOf(call, textIn(info, 'target_path') ?? '') : undefined;
  const isLink = type === 'symlink';
  const [made] = await call.database.rows<{ id: number }>(
    `INSERT INTO rhnconfiginfo (id, username, groupname, filemode, selinux_ctx, symlink_target_filename_id)
     VALUES (nextval('rhn_confinfo_id_seq'), $1, $2, $3, $4, $5) RETURNING id`,
    [
      ...[isLink ? null : textIn(info, 'owner') || 'root', isLink ? null : textIn(info, 'group') || 'root'],
      ...[isLink ? null : Number(info['permissions'] || (type === 'directory' ? 755 : 644)), textIn(info, 'selinux_ctx') ?? '', target],
    ],
  );
  return made?.id ?? null;
}

type Stored = Struct & { readonly bytes: Buffer | null; readonly binary: boolean | null };

/** Files in their newest revisions. Bytes that are no text, or that XML cannot carry, are encoded. */
async function filesOf(call: Call, label: string, paths?: readonly string[]): Promise<Struct[]> {
  const stored = await call.database.rows<Stored>(
    `SELECT CASE t.label WHEN 'sls' THEN 'file' ELSE t.label END AS type, n.path, r.revision, f.modified, c.contents AS bytes,
       c.is_binary = 'Y' AS binary, i.username AS owner, i.groupname AS "group", i.filemode AS permissions, i.selinux_ctx,
       target.path AS target_path, c.delim_start AS "macro-start-delimiter", c.delim_end AS "macro-end-delimiter"
     FROM rhnconfigfile f JOIN rhnconfigfilename n ON n.id = f.config_file_name_id
     JOIN rhnconfigrevision r ON r.id = f.latest_config_revision_id JOIN rhnconfigfiletype t ON t.id = r.config_file_type_id
     LEFT JOIN rhnconfigcontent c ON c.id = r.config_content_id LEFT JOIN rhnconfiginfo i ON i.id = r.config_info_id
     LEFT JOIN rhnconfigfilename target ON target.id = i.symlink_target_filename_id
     WHERE f.config_channel_id = $1 AND ($2::text[] IS NULL OR n.path = ANY($2)) ORDER BY n.path`,
    [await wantConfigChannel(call, label), paths ?? null],
  );
  return stored.map(({ bytes, ...file }) => {
    const isEncoded = file.binary === true || (bytes !== null && !isPlain(bytes));
    const contents = bytes && { contents: bytes.toString(isEncoded ? 'base64' : 'utf8'), contents_enc64: isEncoded };
    const there = Object.entries({ ...file, channel: label, ...contents }).filter(([, value]) => value !== null);
    return Object.fromEntries(there);
  });
}

const isPlain = (bytes: Buffer): boolean => {
  const text = bytes.toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot carry.
  return Buffer.from(text, 'utf8').equals(bytes) && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text);
};

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

const make = { label: 'string', name: 'string', description: 'string' } as const;
const one = { label: 'string', path: 'string' } as const;

/** Configuration channels and files. */
export const configurationMethods: readonly Method[] = [
  reads('configchannel.listGlobals', {}, (call) => configChannelsOf(call, 'WHERE f.org_id = $1 ORDER BY f.label', call.caller.org)),
  reads('configchannel.getDetails', { label: 'string' }, async (call, { label }) => {
    const id = await wantConfigChannel(call, label);
    return (await configChannelsOf(call, 'WHERE f.id = $1', id))[0] ?? null;
  }),
  writes('configchannel.create', make, createConfigChannel),
  writes('configchannel.create', { ...make, type: 'string' }, createConfigChannel),
  writes('configchannel.create', { ...make, type: 'string', pathInfo: 'struct' }, createConfigChannel),
  writes('configchannel.update', make, async (call, { label, name, description }) => {
    wantRole(call.caller, 'config_admin');
    const id = await wantConfigChannel(call, label);
    await call.database.rows('UPDATE rhnconfigchannel SET name = $2, description = $3 WHERE id = $1', [id, name, description]);
    return (await configChannelsOf(call, 'WHERE f.id = $1', id))[0] ?? null;
  }),
  writes('configchannel.deleteChannels', { labels: 'string[]' }, async (call, { labels }) => {
    wantRole(call.caller, 'config_admin');
    for (const label of labels)
      await call.database.rows('DELETE FROM rhnconfigchannel WHERE id = $1', [await wantConfigChannel(call, label)]);
    return 1;
  }),
  reads('configchannel.listFiles', { label: 'string' }, async (call, { label }) =>
    (await filesOf(call, label)).map(({ type = '', path = '', modified = null }) => ({ type, path, last_modified: modified })),
  ),
  reads('configchannel.lookupFileInfo', { label: 'string', paths: 'string[]' }, (call, { label, paths }) => filesOf(call, label, paths)),
  writes('configchannel.createOrUpdatePath', { ...one, isDir: 'boolean', pathInfo: 'struct' }, (call, { label, path, isDir, pathInfo }) =>
    putFile(call, label, path, { ...pathInfo, type: isDir ? 'directory' : 'file' }),
  ),
  writes('configchannel.createOrUpdateSymlink', { ...one, pathInfo: 'struct' }, (call, { label, path, pathInfo }) =>
    putFile(call, label, path, { ...pathInfo, type: 'symlink' }),
  ),
  writes('configchannel.updateInitSls', { label: 'string', pathInfo: 'struct' }, (call, { label, pathInfo }) =>
    putFile(call, label, '/init.sls', { ...pathInfo, type: 'sls' }),
  ),
  writes('configchannel.deleteFiles', { label: 'string', paths: 'string[]' }, async (call, { label, paths }) => {
    wantRole(call.caller, 'config_admin');
    await call.database.rows(
      'DELETE FROM rhnconfigfile f USING rhnconfigfilename n WHERE n.id = f.config_file_name_id AND f.config_channel_id = $1 AND n.path = ANY($2)',
      [await wantConfigChannel(call, label), paths],
    );
    return 1;
  }),
  reads('system.config.listChannels', { sid: 'int' }, async (call, { sid }) =>
    configChannelsOf(
      call,
      'JOIN rhnserverconfigchannel s ON s.config_channel_id = f.id WHERE s.server_id = $1 ORDER BY s.position',
      await wantSystem(call, sid),
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
];
