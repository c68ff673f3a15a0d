import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { remember, wantChannel, wantSystem, wantSystems } from '../wanted.ts';
import { schedule } from './schedule.ts';

const shown = `c.id, c.name, c.label, a.name AS arch_name, a.label AS arch_label, c.summary, coalesce(c.description, '') AS description,
  'sha256' AS checksum_label, c.last_modified, coalesce(c.maint_name, '') AS maintainer_name, coalesce(c.maint_email, '') AS maintainer_email,
  coalesce(c.maint_phone, '') AS maintainer_phone, coalesce(c.support_policy, '') AS support_policy, coalesce(c.gpg_key_url, '') AS gpg_key_url,
  coalesce(c.gpg_key_id, '') AS gpg_key_id, coalesce(c.gpg_key_fp, '') AS gpg_key_fp, '' AS end_of_life,
  coalesce(p.label, '') AS parent_channel_label, '' AS clone_original`;
const channels = `rhnchannel c JOIN rhnchannelarch a ON a.id = c.channel_arch_id LEFT JOIN rhnchannel p ON p.id = c.parent_channel`;

const detailsOf = async (call: Call, condition: string, value: unknown) =>
  call.database.rows(`SELECT ${shown} FROM ${channels} WHERE ${condition} ORDER BY c.label`, [value]);

const listAll = ({ database }: Call) =>
  database.rows(
    `SELECT c.id, c.label, c.name, coalesce(o.name, 'SUSE') AS provider_name, a.name AS arch_name,
       (SELECT count(*) FROM rhnchannelpackage cp WHERE cp.channel_id = c.id) AS packages,
       (SELECT count(*) FROM rhnserverchannel sc WHERE sc.channel_id = c.id) AS systems
     FROM rhnchannel c JOIN rhnchannelarch a ON a.id = c.channel_arch_id LEFT JOIN web_customer o ON o.id = c.org_id ORDER BY c.label`,
  );

async function create(
  call: Call,
  given: {
    readonly label: string;
    readonly name: string;
    readonly summary: string;
    readonly archLabel: string;
    readonly parentLabel: string;
  },
): Promise<number> {
  wantRole(call.caller, 'channel_admin');
  const { label, name, summary, archLabel, parentLabel } = given;
  const parent = parentLabel === '' ? undefined : await wantChannel(call, parentLabel);
  const made = await call.database.rows(
    `INSERT INTO rhnchannel (id, parent_channel, org_id, channel_arch_id, label, basedir, name, summary)
     SELECT nextval('rhn_channel_id_seq'), $1, $2, a.id, $3, $3, $4, $5 FROM rhnchannelarch a WHERE a.label = $6
     ON CONFLICT DO NOTHING RETURNING id`,
    [parent?.id, call.caller.org, label, name, summary, archLabel],
  );
  if (made.length === 0) throw faults.invalidChannel(label);
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
  reads('channel.listAllChannels', {}, listAll),
  reads('channel.listMyChannels', {}, listAll),
  reads('channel.listSoftwareChannels', {}, ({ database }) =>
    database.rows(
      `SELECT c.label, c.name, coalesce(p.label, '') AS parent_label, '' AS end_of_life, a.label AS arch FROM ${channels} ORDER BY c.label`,
    ),
  ),
  reads('channel.software.getDetails', { channelLabel: 'string' }, async (call, { channelLabel }) => {
    const [found] = await detailsOf(call, 'c.label = $1', channelLabel);
    if (!found) throw faults.noSuchChannel(channelLabel);
    return found;
  }),
  reads('channel.software.getDetails', { id: 'int' }, async (call, { id }) => {
    const [found] = await detailsOf(call, 'c.id = $1', id);
    if (!found) throw faults.noSuchChannel(id);
    return found;
  }),
  reads(
    'channel.software.isExisting',
    { channelLabel: 'string' },
    async (call, { channelLabel }) => (await detailsOf(call, 'c.label = $1', channelLabel)).length > 0,
  ),
  reads('channel.software.listChildren', { channelLabel: 'string' }, async (call, { channelLabel }) =>
    detailsOf(call, 'c.parent_channel = $1', (await wantChannel(call, channelLabel)).id),
  ),
  writes('channel.software.create', make, create),
  writes('channel.software.create', { ...make, checksumType: 'string' }, create),
  writes('channel.software.create', { ...make, checksumType: 'string', gpgKey: 'struct' }, create),
  writes('channel.software.create', { ...make, checksumType: 'string', gpgKey: 'struct', gpgCheck: 'boolean' }, create),
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
    const [found] = await detailsOf(call, 'c.label = $1', await baseOf(call, await wantSystem(call, sid)));
    return found ?? {};
  }),
  reads('system.listSubscribedChildChannels', { sid: 'int' }, async (call, { sid }) =>
    detailsOf(
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
