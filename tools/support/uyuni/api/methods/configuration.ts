import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { wantConfigChannel, wantOnly, wantSystem, wantSystems } from '../wanted.ts';
import { initSls, putFile } from './configuration-files.ts';

type Struct = { readonly [name: string]: Value };

const channelShown = `f.id, f.org_id AS "orgId", f.label, f.name, f.description,
  json_build_object('id', t.id, 'label', t.label, 'name', t.name, 'priority', t.priority) AS "configChannelType"`;
const channels = 'rhnconfigchannel f JOIN rhnconfigchanneltype t ON t.id = f.confchan_type_id';

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

async function createConfigChannel(call: Call, { label, name, description, type = 'normal', pathInfo = {} }: NewChannel): Promise<Value> {
  wantRole(call.caller, 'config_admin');
  wantOnly(pathInfo, 'contents', 'contents_enc64');
  const [made] = await call.database.rows<{ id: number }>(
    `INSERT INTO rhnconfigchannel (id, org_id, confchan_type_id, name, label, description)
     SELECT nextval('rhn_confchan_id_seq'), $1, id, $2, $3::varchar, $4 FROM rhnconfigchanneltype
     WHERE label = $5 AND NOT EXISTS (SELECT FROM rhnconfigchannel f WHERE f.org_id = $1 AND f.label = $3::varchar) RETURNING id`,
    [call.caller.org, name, label, description, type],
  );
  if (!made) throw faults.invalid(`A configuration channel ${label} cannot be made of type ${type}`);
  if (type === 'state') await putFile(call, { id: made.id, isState: true }, initSls, 'sls', pathInfo);
  return channelOf(call, made.id);
}

const channelOf = async (call: Call, id: number): Promise<Value> => (await configChannelsOf(call, 'WHERE f.id = $1', id))[0] ?? null;

async function setConfigChannels(call: Call, given: readonly number[], labels: readonly string[], isAll: boolean): Promise<number> {
  const sids = await wantSystems(call, given);
  const ids: number[] = [];
  for (const label of labels) ids.push((await wantConfigChannel(call, label)).id);
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

/** Configuration channels, and which of them systems have. */
export const configurationMethods: readonly Method[] = [
  reads('configchannel.listGlobals', {}, (call) => configChannelsOf(call, 'WHERE f.org_id = $1 ORDER BY f.label', call.caller.org)),
  reads('configchannel.getDetails', { label: 'string' }, async (call, { label }) =>
    channelOf(call, (await wantConfigChannel(call, label)).id),
  ),
  writes('configchannel.create', make, createConfigChannel),
  writes('configchannel.create', { ...make, type: 'string' }, createConfigChannel),
  writes('configchannel.create', { ...make, type: 'string', pathInfo: 'struct' }, createConfigChannel),
  writes('configchannel.update', make, async (call, { label, name, description }) => {
    wantRole(call.caller, 'config_admin');
    const { id } = await wantConfigChannel(call, label);
    await call.database.rows('UPDATE rhnconfigchannel SET name = $2, description = $3, modified = current_timestamp WHERE id = $1', [
      id,
      name,
      description,
    ]);
    return channelOf(call, id);
  }),
  writes('configchannel.deleteChannels', { labels: 'string[]' }, async (call, { labels }) => {
    wantRole(call.caller, 'config_admin');
    for (const label of labels)
      await call.database.rows('DELETE FROM rhnconfigchannel WHERE id = $1', [(await wantConfigChannel(call, label)).id]);
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
