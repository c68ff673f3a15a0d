import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { remember, textIn, wantChannel, wantOnly, wantSystem, wantSystems } from '../wanted.ts';
import { schedule } from './schedule.ts';

const shown = `c.id, c.name, c.label, a.name AS arch_name, a.label AS arch_label, c.summary, coalesce(c.description, '') AS description,
  coalesce(k.label, '') AS checksum_label, c.last_modified, coalesce(c.maint_name, '') AS maintainer_name, coalesce(c.maint_email, '') AS maintainer_email,
  coalesce(c.maint_phone, '') AS maintainer_phone, coalesce(c.support_policy, '') AS support_policy, coalesce(c.gpg_key_url, '') AS gpg_key_url,
  coalesce(c.gpg_key_id, '') AS gpg_key_id, coalesce(c.gpg_key_fp, '') AS gpg_key_fp, c.gpg_check = 'Y' AS gpg_check, '' AS end_of_life,
  coalesce(p.label, '') AS parent_channel_label, '' AS clone_original,
  (SELECT coalesce(json_agg(json_build_object('id', r.id, 'label', r.label, 'sourceUrl', r.source_url, 'type', rt.label) ORDER BY r.label), '[]')
    FROM rhnchannelcontentsource cr JOIN rhncontentsource r ON r.id = cr.source_id JOIN rhncontentsourcetype rt ON rt.id = r.type_id
    WHERE cr.channel_id = c.id) AS "contentSources"`;
const channels = `rhnchannel c JOIN rhnchannelarch a ON a.id = c.channel_arch_id LEFT JOIN rhnchannel p ON p.id = c.parent_channel
  LEFT JOIN rhnchecksumtype k ON k.id = c.checksum_type_id`;

/** The details of the channels that a condition with one value names, as `channel.software.getDetails` shows them. */
export const channelDetailsOf = async (call: Call, condition: string, value: unknown) =>
  call.database.rows(`SELECT ${shown} FROM ${channels} WHERE ${condition} ORDER BY c.label`, [value]);

const listThose = ({ database }: Call, org: number | null = null) =>
  database.rows(
    `SELECT c.id, c.label, c.name, coalesce(o.name, 'SUSE') AS provider_name, a.name AS arch_name,
       (SELECT count(*) FROM rhnchannelpackage cp WHERE cp.channel_id = c.id) AS packages,
       (SELECT count(*) FROM rhnserverchannel sc WHERE sc.channel_id = c.id) AS systems
     FROM rhnchannel c JOIN rhnchannelarch a ON a.id = c.channel_arch_id LEFT JOIN web_customer o ON o.id = c.org_id
     WHERE $1::numeric IS NULL OR c.org_id = $1 ORDER BY c.label`,
    [org],
  );

type NewChannel = {
  readonly label: string;
  readonly name: string;
  readonly summary: string;
  readonly archLabel: string;
  readonly parentLabel: string;
  readonly checksumType?: string;
  readonly gpgKey?: { readonly [name: string]: Value };
  readonly gpgCheck?: boolean;
};

async function create(call: Call, given: NewChannel): Promise<number> {
  wantRole(call.caller, 'channel_admin');
  const { label, name, summary, archLabel, parentLabel, checksumType = 'sha256', gpgKey = {}, gpgCheck = true } = given;
  const parent = parentLabel === '' ? undefined : await wantChannel(call, parentLabel);
  if (parent && parent.parent !== null) throw faults.invalidChannel(parentLabel);
  const gpg = ['url', 'id', 'fingerprint'].map((field) => textIn(gpgKey, field) || null);
  const made = await call.database.rows(
    `INSERT INTO rhnchannel (id, parent_channel, org_id, channel_arch_id, label, basedir, name, summary, checksum_type_id, gpg_key_url, gpg_key_id, gpg_key_fp, gpg_check)
     SELECT nextval('rhn_channel_id_seq'), $1, $2, a.id, $3, $3, $4, $5, k.id, $8, $9, $10, $11 FROM rhnchannelarch a, rhnchecksumtype k
     WHERE a.label = $6 AND k.label = $7 ON CONFLICT DO NOTHING RETURNING id`,
    [parent?.id, call.caller.org, label, name, summary, archLabel, checksumType, ...gpg, gpgCheck ? 'Y' : 'N'],
  );
  if (made.length === 0) throw faults.invalidChannel(label);
  return 1;
}

/** The columns of what one call changes, by the names of the API. */
const columns: Readonly<Record<string, string>> = {
  ...{ name: 'name', summary: 'summary', description: 'description', gpg_check: 'gpg_check' },
  ...{ gpg_key_url: 'gpg_key_url', gpg_key_id: 'gpg_key_id', gpg_key_fp: 'gpg_key_fp' },
  ...{ maintainer_name: 'maint_name', maintainer_email: 'maint_email', maintainer_phone: 'maint_phone' },
};

async function setDetails(call: Call, id: number, details: { readonly [name: string]: Value }): Promise<number> {
  wantRole(call.caller, 'channel_admin');
  wantOnly(details, 'checksum_label', ...Object.keys(columns));
  for (const [field, given] of Object.entries(details)) {
    const isChecksum = field === 'checksum_label';
    const column = isChecksum ? 'checksum_type_id' : columns[field];
    const value = field === 'gpg_check' ? (/^true$/i.test(String(given)) ? 'Y' : 'N') : given;
    const set = isChecksum ? '(SELECT id FROM rhnchecksumtype WHERE label = $2)' : '$2';
    const done = await call.database.rows<{ value: unknown }>(
      `UPDATE rhnchannel SET ${column} = ${set}, last_modified = current_timestamp, modified = current_timestamp
       WHERE id = $1 RETURNING ${column} AS value`,
      [id, value],
    );
    if (isChecksum && done[0]?.value === null) throw faults.invalidParameter(`${given} is no type of checksums`);
  }
  return 1;
}

/** Subscribes systems to a base channel and children of it, and to nothing else. */
async function subscribe(call: Call, given: readonly number[], base: string, children: readonly string[]): Promise<number[]> {
  const sids = await wantSystems(call, given);
  const ids: number[] = [];
  if (base !== '') {
    const { id, parent } = await wantChannel(call, base);
    if (parent !== null) throw faults.invalidChannel(base);
    ids.push(id);
    for (const label of children) {
      const child = await wantChannel(call, label);
      if (child.parent !== id) throw faults.invalidChannel(label);
      ids.push(child.id);
    }
  }
  await call.database.rows('DELETE FROM rhnserverchannel WHERE server_id = ANY($1) AND channel_id <> ALL($2)', [sids, ids]);
  await call.database.rows(
    `INSERT INTO rhnserverchannel (server_id, channel_id)
     SELECT sid, cid FROM unnest($1::numeric[]) sid CROSS JOIN unnest($2::numeric[]) cid ON CONFLICT DO NOTHING`,
    [sids, ids],
  );
  await call.database.rows('UPDATE rhnserver SET channels_changed = current_timestamp WHERE id = ANY($1)', [sids]);
  await remember(call, sids, 'Updated system channel subscriptions', [base, ...children].join(', '));
  return sids;
}

const baseOf = async (call: Call, sid: number): Promise<string> => {
  const [base] = await call.database.rows<{ label: string }>(
    'SELECT c.label FROM rhnserverchannel s JOIN rhnchannel c ON c.id = s.channel_id WHERE s.server_id = $1 AND c.parent_channel IS NULL',
    [sid],
  );
  return base?.label ?? '';
};

const change = async (
  call: Call,
  sids: readonly number[],
  base: string,
  children: readonly string[],
  earliest: Parameters<typeof schedule>[3],
) => {
  await subscribe(call, sids, base, children);
  return schedule(call, sids, 'channels.subscribe', earliest);
};

const make = { label: 'string', name: 'string', summary: 'string', archLabel: 'string', parentLabel: 'string' } as const;
const changing = { baseChannelLabel: 'string', childLabels: 'string[]', earliestOccurrence: 'date' } as const;

/** Channels, and which of them systems are subscribed to. */
export const channelMethods: readonly Method[] = [
  reads('channel.listAllChannels', {}, (call) => listThose(call)),
  reads('channel.listMyChannels', {}, (call) => listThose(call, call.caller.org)),
  reads('channel.listSoftwareChannels', {}, ({ database }) =>
    database.rows(
      `SELECT c.label, c.name, coalesce(p.label, '') AS parent_label, '' AS end_of_life, a.label AS arch FROM ${channels} ORDER BY c.label`,
    ),
  ),
  reads('channel.software.getDetails', { channelLabel: 'string' }, async (call, { channelLabel }) => {
    const [found] = await channelDetailsOf(call, 'c.label = $1', channelLabel);
    if (!found) throw faults.noSuchChannel(channelLabel);
    return found;
  }),
  reads('channel.software.getDetails', { id: 'int' }, async (call, { id }) => {
    const [found] = await channelDetailsOf(call, 'c.id = $1', id);
    if (!found) throw faults.noSuchChannel(id);
    return found;
  }),
  reads(
    'channel.software.isExisting',
    { channelLabel: 'string' },
    async (call, { channelLabel }) => (await channelDetailsOf(call, 'c.label = $1', channelLabel)).length > 0,
  ),
  reads('channel.software.listChildren', { channelLabel: 'string' }, async (call, { channelLabel }) =>
    channelDetailsOf(call, 'c.parent_channel = $1', (await wantChannel(call, channelLabel)).id),
  ),
  writes('channel.software.create', make, create),
  writes('channel.software.create', { ...make, checksumType: 'string' }, create),
  writes('channel.software.create', { ...make, checksumType: 'string', gpgKey: 'struct' }, create),
  writes('channel.software.create', { ...make, checksumType: 'string', gpgKey: 'struct', gpgCheck: 'boolean' }, create),
  writes('channel.software.setDetails', { channelLabel: 'string', details: 'struct' }, async (call, { channelLabel, details }) =>
    setDetails(call, (await wantChannel(call, channelLabel)).id, details),
  ),
  writes('channel.software.delete', { channelLabel: 'string' }, async (call, { channelLabel }) => {
    wantRole(call.caller, 'channel_admin');
    const { id } = await wantChannel(call, channelLabel);
    const used = await call.database.rows(
      'SELECT 1 FROM rhnserverchannel WHERE channel_id = $1 UNION ALL SELECT 1 FROM rhnchannel WHERE parent_channel = $1',
      [id],
    );
    if (used.length > 0) throw faults.invalidChannel(channelLabel);
    await call.database.rows('DELETE FROM rhnchannel WHERE id = $1', [id]);
    return 1;
  }),
  reads('channel.software.listErrata', { channelLabel: 'string' }, async (call, { channelLabel }) =>
    call.database.rows(
      `SELECT e.id, to_char(e.issue_date, 'YYYY-MM-DD') AS issue_date, to_char(e.update_date, 'YYYY-MM-DD') AS update_date,
         to_char(e.update_date, 'YYYY-MM-DD') AS date, e.synopsis AS advisory_synopsis, e.advisory_type, e.advisory_status, e.advisory_name,
         false AS reboot_suggested, false AS restart_suggested
       FROM rhnerrata e JOIN rhnchannelerrata ce ON ce.errata_id = e.id WHERE ce.channel_id = $1 ORDER BY e.advisory_name`,
      [(await wantChannel(call, channelLabel)).id],
    ),
  ),
  reads('channel.software.listSubscribedSystems', { channelLabel: 'string' }, async (call, { channelLabel }) =>
    call.database.rows(
      'SELECT s.id, s.name FROM rhnserver s JOIN rhnserverchannel c ON c.server_id = s.id WHERE c.channel_id = $1 ORDER BY s.name',
      [(await wantChannel(call, channelLabel)).id],
    ),
  ),
  reads('system.getSubscribedBaseChannel', { sid: 'int' }, async (call, { sid }) => {
    const [found] = await channelDetailsOf(call, 'c.label = $1', await baseOf(call, await wantSystem(call, sid)));
    return found ?? {};
  }),
  reads('system.listSubscribedChildChannels', { sid: 'int' }, async (call, { sid }) =>
    channelDetailsOf(
      call,
      'c.parent_channel IS NOT NULL AND c.id IN (SELECT channel_id FROM rhnserverchannel WHERE server_id = $1)',
      await wantSystem(call, sid),
    ),
  ),
  reads('system.listSubscribableBaseChannels', { sid: 'int' }, async (call, { sid }) =>
    call.database.rows(
      `SELECT c.id, c.name, c.label, (EXISTS (SELECT FROM rhnserverchannel s WHERE s.channel_id = c.id AND s.server_id = $1))::int AS current_base
       FROM rhnchannel c WHERE c.parent_channel IS NULL ORDER BY c.label`,
      [await wantSystem(call, sid)],
    ),
  ),
  writes('system.setBaseChannel', { sid: 'int', channelLabel: 'string' }, async (call, { sid, channelLabel }) => {
    await subscribe(call, [sid], channelLabel, []);
    return 1;
  }),
  writes('system.setChildChannels', { sid: 'int', channelIdsOrLabels: 'string[]' }, async (call, { sid, channelIdsOrLabels }) => {
    await subscribe(call, [sid], await baseOf(call, await wantSystem(call, sid)), channelIdsOrLabels);
    return 1;
  }),
  writes('system.scheduleChangeChannels', { sid: 'int', ...changing }, (call, { sid, baseChannelLabel, childLabels, earliestOccurrence }) =>
    change(call, [sid], baseChannelLabel, childLabels, earliestOccurrence),
  ),
  writes(
    'system.scheduleChangeChannels',
    { sids: 'int[]', ...changing },
    async (call, { sids, baseChannelLabel, childLabels, earliestOccurrence }) => [
      await change(call, sids, baseChannelLabel, childLabels, earliestOccurrence),
    ],
  ),
];
