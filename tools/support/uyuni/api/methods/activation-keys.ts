import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { wantChannel, wantGroup } from '../wanted.ts';
import { configChannelsOf, wantConfigChannel } from './configuration.ts';

type Struct = { readonly [name: string]: Value };

const shown = `k.token AS key, r.note AS description, coalesce(r.usage_limit, 0) AS usage_limit, r.disabled = 1 AS disabled,
  EXISTS (SELECT FROM rhnregtokenorgdefault d WHERE d.reg_token_id = r.id) AS universal_default,
  coalesce((SELECT c.label FROM rhnregtokenchannels tc JOIN rhnchannel c ON c.id = tc.channel_id
    WHERE tc.token_id = r.id AND c.parent_channel IS NULL), 'none') AS base_channel_label,
  (SELECT coalesce(json_agg(c.label ORDER BY c.label), '[]') FROM rhnregtokenchannels tc JOIN rhnchannel c ON c.id = tc.channel_id
    WHERE tc.token_id = r.id AND c.parent_channel IS NOT NULL) AS child_channel_labels,
  (SELECT coalesce(json_agg(tg.server_group_id::text ORDER BY tg.server_group_id), '[]') FROM rhnregtokengroups tg WHERE tg.token_id = r.id) AS server_group_ids,
  (SELECT json_agg(label ORDER BY label) FROM (SELECT 'salt_entitled' AS label UNION SELECT t.label FROM rhnregtokenentitlement e
    JOIN rhnservergrouptype t ON t.id = e.server_group_type_id WHERE e.reg_token_id = r.id) e) AS entitlements,
  (SELECT coalesce(json_agg(json_strip_nulls(json_build_object('name', n.name, 'arch', p.arch)) ORDER BY p.id), '[]')
    FROM rhnregtokenpackages p JOIN rhnpackagename n ON n.id = p.name_id WHERE p.token_id = r.id) AS packages,
  (SELECT coalesce(json_agg(n.name ORDER BY p.id), '[]') FROM rhnregtokenpackages p JOIN rhnpackagename n ON n.id = p.name_id
    WHERE p.token_id = r.id) AS package_names,
  m.label AS contact_method`;
const keys = `rhnactivationkey k JOIN rhnregtoken r ON r.id = k.reg_token_id AND r.server_id IS NULL
  JOIN suseservercontactmethod m ON m.id = r.contact_method_id`;

async function wantKey({ database, caller }: Call, key: string): Promise<number> {
  const [found] = await database.rows<{ id: number }>(`SELECT r.id FROM ${keys} WHERE k.token = $1 AND r.org_id = $2`, [key, caller.org]);
  if (!found) throw faults.noSuchKey(key);
  return found.id;
}

/** A method that changes a key, which is looked up before. */
const changes = <K extends string>(
  name: string,
  list: K,
  kind: 'int[]' | 'string[]',
  change: (call: Call, id: number, given: readonly (string | number)[]) => Promise<void>,
) =>
  writes(`activationkey.${name}`, { key: 'string', [list]: kind }, async (call, values) => {
    wantRole(call.caller, 'activation_key_admin');
    const { key, [list]: given } = values as { key: string } & Record<K, readonly (string | number)[]>;
    await change(call, await wantKey(call, key), given);
    return 1;
  });

type NewKey = {
  readonly key: string;
  readonly description: string;
  readonly baseChannelLabel: string;
  readonly usageLimit?: number;
  readonly entitlements: readonly string[];
  readonly universalDefault: boolean;
};

async function createKey(call: Call, given: NewKey): Promise<Value> {
  wantRole(call.caller, 'activation_key_admin');
  const { key, description, baseChannelLabel, usageLimit, entitlements, universalDefault } = given;
  const token = `${call.caller.org}-${key}`;
  const base = baseChannelLabel === '' ? undefined : await wantChannel(call, baseChannelLabel);
  if ((await call.database.rows('SELECT 1 FROM rhnactivationkey WHERE token = $1', [token])).length > 0)
    throw faults.invalid(`The activation key ${token} is there already`);
  const [made] = await call.database.rows<{ id: number }>(
    `INSERT INTO rhnregtoken (id, org_id, user_id, note, usage_limit) VALUES (nextval('rhn_reg_token_seq'), $1, $2, $3, $4) RETURNING id`,
    [call.caller.org, call.caller.id, description, usageLimit ?? null],
  );
  const id = made?.id ?? 0;
  await call.database.rows('INSERT INTO rhnactivationkey (token, reg_token_id) VALUES ($1, $2)', [token, id]);
  if (base) await addChannels(call, id, [base.id]);
  await addEntitlements(call, id, entitlements);
  await setDefault(call, id, universalDefault);
  return token;
}

const addChannels = async ({ database }: Call, id: number, channels: readonly number[]): Promise<void> =>
  void (await database.rows(
    'INSERT INTO rhnregtokenchannels (token_id, channel_id) SELECT $1, unnest($2::numeric[]) ON CONFLICT DO NOTHING',
    [id, channels],
  ));

async function addEntitlements({ database }: Call, id: number, labels: readonly (string | number)[]): Promise<void> {
  const types = await database.rows<{ id: number }>(`SELECT id FROM rhnservergrouptype WHERE label = ANY($1) AND is_base = 'N'`, [labels]);
  if (types.length < new Set(labels).size) throw faults.invalidEntitlement();
  await database.rows(
    'INSERT INTO rhnregtokenentitlement (reg_token_id, server_group_type_id) SELECT $1, unnest($2::numeric[]) ON CONFLICT DO NOTHING',
    [id, types.map((type) => type.id)],
  );
}

async function setDefault({ database, caller }: Call, id: number, isDefault: boolean): Promise<void> {
  await database.rows('DELETE FROM rhnregtokenorgdefault WHERE org_id = $1 AND ($3 OR reg_token_id = $2)', [caller.org, id, isDefault]);
  if (isDefault) await database.rows('INSERT INTO rhnregtokenorgdefault (org_id, reg_token_id) VALUES ($1, $2)', [caller.org, id]);
}

async function setDetails(call: Call, key: string, details: Struct): Promise<Value> {
  wantRole(call.caller, 'activation_key_admin');
  const id = await wantKey(call, key);
  const { description, base_channel_label: base, usage_limit: limit, unlimited_usage_limit: isUnlimited } = details;
  const set = (sql: string, value: unknown) => call.database.rows(`UPDATE rhnregtoken SET ${sql} WHERE id = $1`, [id, value]);
  if (typeof description === 'string') await set('note = $2', description);
  if (typeof limit === 'number') await set('usage_limit = $2', limit);
  if (isUnlimited === true) await set('usage_limit = $2', null);
  if (typeof details['disabled'] === 'boolean') await set('disabled = $2', details['disabled'] ? 1 : 0);
  if (typeof details['contact_method'] === 'string')
    await set('contact_method_id = (SELECT id FROM suseservercontactmethod WHERE label = $2)', details['contact_method']);
  if (typeof details['universal_default'] === 'boolean') await setDefault(call, id, details['universal_default']);
  if (typeof base !== 'string') return 1;
  await call.database.rows(
    'DELETE FROM rhnregtokenchannels t USING rhnchannel c WHERE c.id = t.channel_id AND t.token_id = $1 AND c.parent_channel IS NULL',
    [id],
  );
  if (base !== '') await addChannels(call, id, [(await wantChannel(call, base)).id]);
  return 1;
}

async function addPackages({ database }: Call, id: number, given: readonly Struct[]): Promise<void> {
  for (const one of given) {
    const name = String(one['name'] ?? '');
    await database.rows(
      'INSERT INTO rhnpackagename (id, name) SELECT coalesce(max(id), 0) + 1, $1 FROM rhnpackagename ON CONFLICT DO NOTHING',
      [name],
    );
    await database.rows(
      `INSERT INTO rhnregtokenpackages (id, token_id, name_id, arch) SELECT nextval('rhn_reg_tok_pkg_id_seq'), $1, id, $3 FROM rhnpackagename WHERE name = $2`,
      [id, name, one['arch'] ?? null],
    );
  }
}

async function removePackages({ database }: Call, id: number, given: readonly Struct[]): Promise<void> {
  for (const one of given)
    await database.rows(
      `DELETE FROM rhnregtokenpackages p USING rhnpackagename n
       WHERE n.id = p.name_id AND p.token_id = $1 AND n.name = $2 AND p.arch IS NOT DISTINCT FROM $3`,
      [id, one['name'], one['arch'] ?? null],
    );
}

const withPackages = (name: string, change: (call: Call, id: number, given: readonly Struct[]) => Promise<void>) =>
  writes(`activationkey.${name}`, { key: 'string', packages: 'struct[]' }, async (call, { key, packages }) => {
    wantRole(call.caller, 'activation_key_admin');
    await change(call, await wantKey(call, key), packages);
    return 1;
  });

const deploys = (name: string, flag: 'Y' | 'N') =>
  writes(`activationkey.${name}`, { key: 'string' }, async (call, { key }) => {
    wantRole(call.caller, 'activation_key_admin');
    await call.database.rows('UPDATE rhnregtoken SET deploy_configs = $2 WHERE id = $1', [await wantKey(call, key), flag]);
    return 1;
  });

const newKey = { key: 'string', description: 'string', baseChannelLabel: 'string' } as const;
const rest = { entitlements: 'string[]', universalDefault: 'boolean' } as const;

/** Activation keys. */
export const activationKeyMethods: readonly Method[] = [
  reads('activationkey.listActivationKeys', {}, ({ database, caller }) =>
    database.rows(`SELECT ${shown} FROM ${keys} WHERE r.org_id = $1 ORDER BY k.token`, [caller.org]),
  ),
  reads('activationkey.getDetails', { key: 'string' }, async ({ database }, { key }) => {
    const [found] = await database.rows(`SELECT ${shown} FROM ${keys} WHERE k.token = $1`, [key]);
    if (!found) throw faults.noSuchKey(key);
    return found;
  }),
  writes('activationkey.create', { ...newKey, ...rest }, createKey),
  writes('activationkey.create', { ...newKey, usageLimit: 'int', ...rest }, createKey),
  writes('activationkey.setDetails', { key: 'string', details: 'struct' }, (call, { key, details }) => setDetails(call, key, details)),
  changes('addChildChannels', 'childChannelLabels', 'string[]', async (call, id, labels) => {
    for (const label of labels) await addChannels(call, id, [(await wantChannel(call, String(label))).id]);
  }),
  changes('removeChildChannels', 'childChannelLabels', 'string[]', async ({ database }, id, labels) => {
    await database.rows(
      'DELETE FROM rhnregtokenchannels t USING rhnchannel c WHERE c.id = t.channel_id AND t.token_id = $1 AND c.label = ANY($2)',
      [id, labels],
    );
  }),
  changes('addServerGroups', 'serverGroupIds', 'int[]', async (call, id, groups) => {
    for (const group of groups)
      await call.database.rows('INSERT INTO rhnregtokengroups (token_id, server_group_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        id,
        await wantGroup(call, group),
      ]);
  }),
  changes('removeServerGroups', 'serverGroupIds', 'int[]', async ({ database }, id, groups) => {
    await database.rows('DELETE FROM rhnregtokengroups WHERE token_id = $1 AND server_group_id = ANY($2)', [id, groups]);
  }),
  changes('addEntitlements', 'entitlements', 'string[]', addEntitlements),
  changes('removeEntitlements', 'entitlements', 'string[]', async ({ database }, id, labels) => {
    await database.rows(
      'DELETE FROM rhnregtokenentitlement e USING rhnservergrouptype t WHERE t.id = e.server_group_type_id AND e.reg_token_id = $1 AND t.label = ANY($2)',
      [id, labels],
    );
  }),
  withPackages('addPackages', addPackages),
  withPackages('removePackages', removePackages),
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
    async (call, { keys: given, configChannelLabels }) => {
      wantRole(call.caller, 'activation_key_admin');
      for (const key of given) {
        const id = await wantKey(call, key);
        await call.database.rows('DELETE FROM rhnregtokenconfigchannels WHERE token_id = $1', [id]);
        for (const [position, label] of configChannelLabels.entries())
          await call.database.rows('INSERT INTO rhnregtokenconfigchannels (token_id, config_channel_id, position) VALUES ($1, $2, $3)', [
            ...[id, await wantConfigChannel(call, label), position],
          ]);
      }
      return 1;
    },
  ),
  writes('activationkey.checkConfigDeployment', { key: 'string' }, async (call, { key }) => {
    const [found] = await call.database.rows<{ deploys: boolean }>(
      `SELECT deploy_configs = 'Y' AS deploys FROM rhnregtoken WHERE id = $1`,
      [await wantKey(call, key)],
    );
    return found?.deploys ? 1 : 0;
  }),
  deploys('enableConfigDeployment', 'Y'),
  deploys('disableConfigDeployment', 'N'),
  writes('activationkey.delete', { key: 'string' }, async (call, { key }) => {
    wantRole(call.caller, 'activation_key_admin');
    await call.database.rows('DELETE FROM rhnregtoken WHERE id = $1', [await wantKey(call, key)]);
    return 1;
  }),
];
