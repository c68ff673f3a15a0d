import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, writes } from '../method.ts';
import { textIn, wantChannel, wantConfigChannel, wantGroup } from '../wanted.ts';
import { addChannel, addEntitlements, baseOfKey, wantKey, wantKeyToChange } from './activation-keys.ts';
import { configChannelsOf } from './configuration.ts';

type Struct = { readonly [name: string]: Value };

/** A child channel that a key may have: one of its base channel, should it have one. */
async function wantChild(call: Call, key: number, label: string): Promise<number> {
  const { id, parent } = await wantChannel(call, label);
  const base = await baseOfKey(call, key);
  if (parent === null || (base !== undefined && base !== parent)) throw faults.invalidChannel(label);
  return id;
}

/** The numbers of the name and the architecture of a package, which needs not be in any channel. */
async function packageIn({ database }: Call, given: Struct): Promise<{ name: number | undefined; arch: number | null }> {
  const [name, arch] = [textIn(given, 'name') ?? '', textIn(given, 'arch')];
  if (name === '') throw faults.invalidParameter('A package has a name');
  await database.rows(`INSERT INTO rhnpackagename (id, name) VALUES (nextval('rhn_pkg_name_seq'), $1) ON CONFLICT DO NOTHING`, [name]);
  const [named] = await database.rows<{ id: number }>('SELECT id FROM rhnpackagename WHERE name = $1', [name]);
  if (arch === undefined) return { name: named?.id, arch: null };
  const [known] = await database.rows<{ id: number }>('SELECT id FROM rhnpackagearch WHERE label = $1', [arch]);
  if (!known) throw faults.invalidParameter(`${arch} is no architecture of packages`);
  return { name: named?.id, arch: known.id };
}

const labelled = { key: 'string', childChannelLabels: 'string[]' } as const;
const grouped = { key: 'string', serverGroupIds: 'int[]' } as const;
const entitled = { key: 'string', entitlements: 'string[]' } as const;
const packaged = { key: 'string', packages: 'struct[]' } as const;

/** What an activation key gives to a system that registers with it. */
export const activationKeyContentMethods: readonly Method[] = [
  writes('activationkey.addChildChannels', labelled, async (call, { key, childChannelLabels }) => {
    const id = await wantKeyToChange(call, key);
    for (const label of childChannelLabels) await addChannel(call, id, await wantChild(call, id, label));
    return 1;
  }),
  writes('activationkey.removeChildChannels', labelled, async (call, { key, childChannelLabels }) => {
    const id = await wantKeyToChange(call, key);
    for (const label of childChannelLabels) {
      const channel = await wantChannel(call, label);
      if (channel.parent === null) throw faults.invalidChannel(label);
      await call.database.rows('DELETE FROM rhnregtokenchannels WHERE token_id = $1 AND channel_id = $2', [id, channel.id]);
    }
    return 1;
  }),
  writes('activationkey.addServerGroups', grouped, async (call, { key, serverGroupIds }) => {
    const id = await wantKeyToChange(call, key);
    for (const group of serverGroupIds)
      await call.database.rows('INSERT INTO rhnregtokengroups (token_id, server_group_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        ...[id, await wantGroup(call, group)],
      ]);
    return 1;
  }),
  writes('activationkey.removeServerGroups', grouped, async (call, { key, serverGroupIds }) => {
    const id = await wantKeyToChange(call, key);
    for (const group of serverGroupIds)
      await call.database.rows('DELETE FROM rhnregtokengroups WHERE token_id = $1 AND server_group_id = $2', [
        ...[id, await wantGroup(call, group)],
      ]);
    return 1;
  }),
  writes('activationkey.addEntitlements', entitled, async (call, { key, entitlements }) => {
    await addEntitlements(call, await wantKeyToChange(call, key), entitlements);
    return 1;
  }),
  writes('activationkey.removeEntitlements', entitled, async (call, { key, entitlements }) => {
    await call.database.rows(
      `DELETE FROM rhnregtokenentitlement e USING rhnservergrouptype t
       WHERE t.id = e.server_group_type_id AND e.reg_token_id = $1 AND t.label = ANY($2)`,
      [await wantKeyToChange(call, key), entitlements],
    );
    return 1;
  }),
  writes('activationkey.addPackages', packaged, async (call, { key, packages }) => {
    const id = await wantKeyToChange(call, key);
    for (const one of packages) {
      const { name, arch } = await packageIn(call, one);
      await call.database.rows(
        `INSERT INTO rhnregtokenpackages (id, token_id, name_id, arch_id)
         VALUES (nextval('rhn_reg_tok_pkg_id_seq'), $1, $2, $3) ON CONFLICT DO NOTHING`,
        [id, name, arch],
      );
    }
    return 1;
  }),
  writes('activationkey.removePackages', packaged, async (call, { key, packages }) => {
    const id = await wantKeyToChange(call, key);
    for (const one of packages) {
      const { name, arch } = await packageIn(call, one);
      await call.database.rows('DELETE FROM rhnregtokenpackages WHERE token_id = $1 AND name_id = $2 AND arch_id IS NOT DISTINCT FROM $3', [
        id,
        name,
        arch,
      ]);
    }
    return 1;
  }),
  reads('activationkey.listConfigChannels', { key: 'string' }, async (call, { key }) =>
    configChannelsOf(
      call,
      'JOIN rhnregtokenconfigchannels s ON s.config_channel_id = f.id WHERE s.token_id = $1 ORDER BY s.position',
      await wantKey(call, key),
    ),
  ),
  writes(
    'activationkey.setConfigChannels',
    { keys: 'string[]', configChannelLabels: 'string[]' },
    async (call, { keys, configChannelLabels }) => {
      for (const key of keys) {
        const id = await wantKeyToChange(call, key);
        await call.database.rows('DELETE FROM rhnregtokenconfigchannels WHERE token_id = $1', [id]);
        for (const [n, label] of configChannelLabels.entries())
          await call.database.rows('INSERT INTO rhnregtokenconfigchannels (token_id, config_channel_id, position) VALUES ($1, $2, $3)', [
            ...[id, (await wantConfigChannel(call, label)).id, n + 1],
          ]);
      }
      return 1;
    },
  ),
];
