import { createHash } from 'node:crypto';
import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { type ConfigChannel, textIn, wantConfigChannel, wantOnly } from '../wanted.ts';

type Struct = { readonly [name: string]: Value };
type FileType = 'file' | 'directory' | 'symlink' | 'sls';

/** Where a channel of states has its first state. */
export const initSls = '/init.sls';
const owned = ['owner', 'group', 'permissions', 'selinux_ctx', 'revision'];
const filled = ['contents', 'contents_enc64', 'binary', 'macro-start-delimiter', 'macro-end-delimiter'];

/** Puts a new revision of a file, folder or link in a configuration channel, which has it from now on. */
export async function putFile(call: Call, channel: ConfigChannel, path: string, type: FileType, info: Struct): Promise<Value> {
  wantRole(call.caller, 'config_admin');
  const { database, caller } = call;
  const [file] = await database.rows<{ id: number; last: number }>(
    `INSERT INTO rhnconfigfile AS f (id, config_channel_id, config_file_name_id) VALUES (nextval('rhn_conffile_id_seq'), $1, $2)
     ON CONFLICT (config_channel_id, config_file_name_id) DO UPDATE SET modified = current_timestamp
     RETURNING id, coalesce((SELECT max(revision) FROM rhnconfigrevision WHERE config_file_id = f.id), 0) AS last`,
    [channel.id, await nameOf(call, path)],
  );
  const last = file?.last ?? 0;
  const next = typeof info['revision'] === 'number' ? info['revision'] : last + 1;
  if (next <= last) throw faults.invalid(`The revision ${next} of ${path} is not after ${last}`);
  const [revision] = await database.rows<{ id: number }>(
    `INSERT INTO rhnconfigrevision (id, revision, config_file_id, config_content_id, config_info_id, config_file_type_id, changed_by_id)
     SELECT nextval('rhn_confrevision_id_seq'), $1, $2, $3, $4, id, $5 FROM rhnconfigfiletype WHERE label = $6 RETURNING id`,
    [next, file?.id, await contentIn(call, type, info), await infoIn(call, type, info), caller.id, type],
  );
  await database.rows('UPDATE rhnconfigfile SET latest_config_revision_id = $2 WHERE id = $1', [file?.id, revision?.id]);
  return (await filesOf(call, channel.id, path))[0] ?? null;
}

async function nameOf({ database }: Call, path: string): Promise<number | undefined> {
  await database.rows(`INSERT INTO rhnconfigfilename (id, path) VALUES (nextval('rhn_cfname_id_seq'), $1) ON CONFLICT DO NOTHING`, [path]);
  return (await database.rows<{ id: number }>('SELECT id FROM rhnconfigfilename WHERE path = $1', [path]))[0]?.id;
}

/** The bytes that a server makes of what it is given. Unless the file is binary, it takes them for text in UTF-8. */
function bytesIn(info: Struct): Buffer {
  const text = textIn(info, 'contents') ?? '';
  if (info['binary'] === true) return Buffer.from(text, 'base64');
  return Buffer.from(info['contents_enc64'] === true ? Buffer.from(text, 'base64').toString('utf8') : text, 'utf8');
}

async function contentIn({ database }: Call, type: FileType, info: Struct): Promise<number | null> {
  if (type === 'directory' || type === 'symlink') return null;
  const bytes = bytesIn(info);
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

async function infoIn(call: Call, type: FileType, info: Struct): Promise<number | null> {
  const isLink = type === 'symlink';
  const permissions = info['permissions'] ?? (type === 'directory' ? '755' : '644');
  if (typeof permissions !== 'string' || !/^[0-7]{3,4}$/.test(permissions))
    throw faults.invalid(`The permissions ${permissions} are no text of octal digits`);
  const target = textIn(info, 'target_path') ?? '';
  if (isLink && target === '') throw faults.invalid('A symbolic link has a target');
  const [made] = await call.database.rows<{ id: number }>(
    `INSERT INTO rhnconfiginfo (id, username, groupname, filemode, selinux_ctx, symlink_target_filename_id)
     VALUES (nextval('rhn_confinfo_id_seq'), $1, $2, $3, $4, $5) RETURNING id`,
    [
      ...(isLink ? [null, null, null] : [textIn(info, 'owner') || 'root', textIn(info, 'group') || 'root', Number(permissions)]),
      ...[textIn(info, 'selinux_ctx') ?? '', isLink ? await nameOf(call, target) : null],
    ],
  );
  return made?.id ?? null;
}

type Stored = Struct & {
  readonly permissions: number | null;
  readonly target_path: string | null;
  readonly bytes: Buffer | null;
  readonly isBinary: boolean | null;
};

/** The newest revisions of the files of a channel, or of one of them, or a revision that is given. */
async function filesOf({ database }: Call, channel: number, path?: string, revision?: number): Promise<Struct[]> {
  const stored = await database.rows<Stored>(
    `SELECT t.label AS type, n.path, r.revision, r.created AS creation, r.modified, i.selinux_ctx, i.username AS owner,
       i.groupname AS "group", i.filemode AS permissions, target.path AS target_path, h.name AS channel, c.contents AS bytes,
       c.is_binary = 'Y' AS "isBinary", c.delim_start AS "macro-start-delimiter", c.delim_end AS "macro-end-delimiter"
     FROM rhnconfigfile f JOIN rhnconfigfilename n ON n.id = f.config_file_name_id JOIN rhnconfigchannel h ON h.id = f.config_channel_id
     JOIN rhnconfigrevision r ON r.config_file_id = f.id
       AND CASE WHEN $3::numeric IS NULL THEN r.id = f.latest_config_revision_id ELSE r.revision = $3 END
     JOIN rhnconfigfiletype t ON t.id = r.config_file_type_id
     LEFT JOIN rhnconfigcontent c ON c.id = r.config_content_id LEFT JOIN rhnconfiginfo i ON i.id = r.config_info_id
     LEFT JOIN rhnconfigfilename target ON target.id = i.symlink_target_filename_id
     WHERE f.config_channel_id = $1 AND ($2::text IS NULL OR n.path = $2) ORDER BY n.path`,
    [channel, path ?? null, revision ?? null],
  );
  return stored.map(shownFile);
}

/** A file as the API shows it: what it does not have is left out. */
function shownFile({ bytes, isBinary, permissions, ...file }: Stored): Struct {
  const { 'macro-start-delimiter': start = null, 'macro-end-delimiter': end = null, ...rest } = file;
  const shown = {
    ...rest,
    permissions,
    permissions_mode: permissions === null ? null : String(permissions).padStart(3, '0'),
    ...(bytes && {
      ...{ binary: isBinary, sha256: createHash('sha256').update(bytes).digest('hex') },
      ...{ contents: isBinary ? bytes.toString('base64') : textOf(bytes), contents_enc64: isBinary },
      ...(!isBinary && { 'macro-start-delimiter': start, 'macro-end-delimiter': end }),
    }),
  };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null));
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  // XML carries no other control characters.
  if ([...text].some((one) => one < ' ' && !'\t\n\r'.includes(one))) throw faults.invalid('The binary file was marked as text.');
  return text;
}

async function oneOf(call: Call, label: string, path: string, revision?: number): Promise<Struct> {
  const [file] = await filesOf(call, (await wantConfigChannel(call, label)).id, path, revision);
  if (!file) throw faults.noSuchFile(path, label);
  return file;
}

const one = { label: 'string', path: 'string' } as const;
const named = { label: 'string', paths: 'string[]' } as const;

/** Files of configuration channels. */
export const configurationFileMethods: readonly Method[] = [
  reads('configchannel.listFiles', { label: 'string' }, async (call, { label }) =>
    call.database.rows(
      `SELECT t.label AS type, n.path, f.modified AS last_modified FROM rhnconfigfile f
       JOIN rhnconfigfilename n ON n.id = f.config_file_name_id JOIN rhnconfigrevision r ON r.id = f.latest_config_revision_id
       JOIN rhnconfigfiletype t ON t.id = r.config_file_type_id WHERE f.config_channel_id = $1 ORDER BY n.path`,
      [(await wantConfigChannel(call, label)).id],
    ),
  ),
  reads('configchannel.lookupFileInfo', named, async (call, { label, paths }) => {
    const files: Struct[] = [];
    for (const path of paths) files.push(await oneOf(call, label, path));
    return files;
  }),
  reads('configchannel.lookupFileInfo', { ...one, revision: 'int' }, (call, { label, path, revision }) =>
    oneOf(call, label, path, revision),
  ),
  writes(
    'configchannel.createOrUpdatePath',
    { ...one, isDir: 'boolean', pathInfo: 'struct' },
    async (call, { label, path, isDir, pathInfo }) => {
      wantOnly(pathInfo, ...owned, ...(isDir ? [] : filled));
      const channel = await wantConfigChannel(call, label);
      if (channel.isState && isDir) throw faults.invalid('A channel of states has neither folders nor links');
      if (channel.isState && path === initSls) throw faults.invalidParameter(`${initSls} is updated by updateInitSls`);
      return putFile(call, channel, path, isDir ? 'directory' : 'file', pathInfo);
    },
  ),
  writes('configchannel.createOrUpdateSymlink', { ...one, pathInfo: 'struct' }, async (call, { label, path, pathInfo }) => {
    wantOnly(pathInfo, 'target_path', 'selinux_ctx', 'revision');
    const channel = await wantConfigChannel(call, label);
    if (channel.isState) throw faults.invalid('A channel of states has neither folders nor links');
    return putFile(call, channel, path, 'symlink', pathInfo);
  }),
  writes('configchannel.updateInitSls', { label: 'string', pathInfo: 'struct' }, async (call, { label, pathInfo }) => {
    wantOnly(pathInfo, 'contents', 'contents_enc64', 'revision');
    const channel = await wantConfigChannel(call, label);
    if (!channel.isState) throw faults.invalid(`Only channels of states have ${initSls}`);
    return putFile(call, channel, initSls, 'sls', pathInfo);
  }),
  writes('configchannel.deleteFiles', named, async (call, { label, paths }) => {
    wantRole(call.caller, 'config_admin');
    const { id } = await wantConfigChannel(call, label);
    for (const path of paths) {
      const gone = await call.database.rows(
        `DELETE FROM rhnconfigfile f USING rhnconfigfilename n
         WHERE n.id = f.config_file_name_id AND f.config_channel_id = $1 AND n.path = $2 RETURNING f.id`,
        [id, path],
      );
      if (gone.length === 0) throw faults.noSuchFile(path, label);
    }
    return 1;
  }),
];
