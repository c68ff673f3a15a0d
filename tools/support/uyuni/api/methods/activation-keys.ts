import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { textIn, wantChannel, wantOnly } from '../wanted.ts';

type Struct = { readonly [name: string]: Value };

const shown = `k.token AS key, r.note AS description, coalesce(r.usage_limit, 0) AS usage_limit, r.disabled = 1 AS disabled,
  EXISTS (SELECT FROM rhnregtokenorgdefault d WHERE d.reg_token_id = r.id) AS universal_default,
  coalesce((SELECT c.label FROM rhnregtokenchannels tc JOIN rhnchannel c ON c.id = tc.channel_id
    WHERE tc.token_id = r.id AND c.parent_channel IS NULL), 'none') AS base_channel_label,
  (SELECT coalesce(json_agg(c.label ORDER BY c.label), '[]') FROM rhnregtokenchannels tc JOIN rhnchannel c ON c.id = tc.channel_id
    WHERE tc.token_id = r.id AND c.parent_channel IS NOT NULL) AS child_channel_labels,
  (SELECT coalesce(json_agg(tg.server_group_id ORDER BY tg.server_group_id), '[]') FROM rhnregtokengroups tg WHERE tg.token_id = r.id) AS server_group_ids,
  (SELECT coalesce(json_agg(t.label ORDER BY t.label), '[]') FROM rhnregtokenentitlement e
    JOIN rhnservergrouptype t ON t.id = e.server_group_type_id WHERE e.reg_token_id = r.id) AS entitlements,
  (SELECT coalesce(json_agg(json_strip_nulls(json_build_object('name', n.name, 'arch', a.label)) ORDER BY p.id), '[]') FROM rhnregtokenpackages p
    JOIN rhnpackagename n ON n.id = p.name_id LEFT JOIN rhnpackagearch a ON a.id = p.arch_id WHERE p.token_id = r.id) AS packages,
  (SELECT coalesce(json_agg(n.name ORDER BY p.id), '[]') FROM rhnregtokenpackages p JOIN rhnpackagename n ON n.id = p.name_id
    WHERE p.token_id = r.id) AS package_names,
  m.label AS contact_method`;
const keys = `rhnactivationkey k JOIN rhnregtoken r ON r.id = k.reg_token_id AND r.server_id IS NULL
  JOIN suseservercontactmethod m ON m.id = r.contact_method_id`;

/** The number of an activation key of the caller's organisation. Throws the fault 10001 where there is none. */
export async function wantKey({ database, caller }: Call, key: string): Promise<number> {
  const [found] = await database.rows<{ id: number }>(`SELECT r.id FROM ${keys} WHERE k.token = $1 AND r.org_id = $2`, [key, caller.org]);
  if (!found) throw faults.noSuchKey(key);
  return found.id;
}

/** The number of an activation key, for who may change it. */
export function wantKeyToChange(call: Call, key: string): Promise<number> {
  wantRole(call.caller, 'activation_key_admin');
  return wantKey(call, key);
}

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
  if (key.trim() === '') throw faults.invalid('An activation key has a key');
  const token = `${call.caller.org}-${key.trim()}`;
  const base = await baseOf(call, baseChannelLabel);
  if ((await call.database.rows('SELECT 1 FROM rhnactivationkey WHERE token = $1', [token])).length > 0) throw faults.doubleKey();
  const [made] = await call.database.rows<{ id: number }>(
    `INSERT INTO rhnregtoken (id, org_id, user_id, note, usage_limit, deploy_configs)
     VALUES (nextval('rhn_reg_token_seq'), $1, $2, $3, $4, 'N') RETURNING id`,
    [call.caller.org, call.caller.id, description, usageLimit ?? null],
  );
  const id = made?.id ?? 0;
  await call.database.rows('INSERT INTO rhnactivationkey (token, reg_token_id) VALUES ($1, $2)', [token, id]);
  if (base) await addChannel(call, id, base);
  await addEntitlements(call, id, entitlements);
  await setDefault(call, id, universalDefault);
  return token;
}

/** A base channel by its label; undefined for a key that takes the channel which a system has. */
async function baseOf(call: Call, label: string): Promise<number | undefined> {
  if (label === '' || label === 'none') return undefined;
  const { id, parent } = await wantChannel(call, label);
  if (parent !== null) throw faults.invalidChannel(label);
  return id;
}

/** Gives a channel to an activation key. */
export async function addChannel({ database }: Call, key: number, channel: number): Promise<void> {
  await database.rows('INSERT INTO rhnregtokenchannels (token_id, channel_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [key, channel]);
}

/** The base channel of an activation key; undefined where it has none. */
export async function baseOfKey({ database }: Call, key: number): Promise<number | undefined> {
  const [base] = await database.rows<{ id: number }>(
    'SELECT c.id FROM rhnregtokenchannels t JOIN rhnchannel c ON c.id = t.channel_id WHERE t.token_id = $1 AND c.parent_channel IS NULL',
    [key],
  );
  return base?.id;
}

/** Gives entitlements beside the base one to an activation key. Throws a fault for any other. */
export async function addEntitlements({ database }: Call, id: number, labels: readonly string[]): Promise<void> {
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
  const id = await wantKeyToChange(call, key);
  wantOnly(details, 'description', 'base_channel_label', 'usage_limit', ...flags, 'contact_method');
  const { usage_limit: limit, unlimited_usage_limit: isUnlimited, universal_default: isDefault, disabled } = details;
  const set = (sql: string, value: unknown) => call.database.rows(`UPDATE rhnregtoken SET ${sql} WHERE id = $1`, [id, value]);
  if (textIn(details, 'description') !== undefined) await set('note = $2', details['description']);
  if (typeof limit === 'number') await set('usage_limit = $2', limit);
  if (isUnlimited === true) await set('usage_limit = $2', null);
  if (typeof disabled === 'boolean') await set('disabled = $2', disabled ? 1 : 0);
  if (typeof isDefault === 'boolean') await setDefault(call, id, isDefault);
  const method = textIn(details, 'contact_method');
  if (method !== undefined) {
    const [known] = await call.database.rows<{ id: number }>('SELECT id FROM suseservercontactmethod WHERE label = $1', [method]);
    if (!known) throw faults.internal(`Invalid contact method: ${method}`);
    await set('contact_method_id = $2', known.id);
  }
  const base = textIn(details, 'base_channel_label');
  if (base !== undefined) await setBase(call, id, await baseOf(call, base));
  return 1;
}

/** With another base channel, the children of the one before go. */
async function setBase(call: Call, id: number, base: number | undefined): Promise<void> {
  const before = await baseOfKey(call, id);
  if (before === base) return;
  if (before !== undefined) await call.database.rows('DELETE FROM rhnregtokenchannels WHERE token_id = $1', [id]);
  if (base !== undefined) await addChannel(call, id, base);
}

const deploys = (name: string, flag: 'Y' | 'N') =>
  writes(`activationkey.${name}`, { key: 'string' }, async (call, { key }) => {
    await call.database.rows('UPDATE rhnregtoken SET deploy_configs = $2 WHERE id = $1', [await wantKeyToChange(call, key), flag]);
    return 1;
  });

const flags = ['unlimited_usage_limit', 'universal_default', 'disabled'];
const newKey = { key: 'string', description: 'string', baseChannelLabel: 'string' } as const;
const rest = { entitlements: 'string[]', universalDefault: 'boolean' } as const;

/** Activation keys; what they give to systems is in a list of its own. */
export const activationKeyMethods: readonly Method[] = [
  reads('activationkey.listActivationKeys', {}, ({ database, caller }) =>
    database.rows(`SELECT ${shown} FROM ${keys} WHERE r.org_id = $1 ORDER BY k.token`, [caller.org]),
  ),
  reads('activationkey.getDetails', { key: 'string' }, async (call, { key }) => {
    const [found] = await call.database.rows(`SELECT ${shown} FROM ${keys} WHERE r.id = $1`, [await wantKey(call, key)]);
    return found ?? null;
  }),
  writes('activationkey.create', { ...newKey, ...rest }, createKey),
  writes('activationkey.create', { ...newKey, usageLimit: 'int', ...rest }, createKey),
  writes('activationkey.setDetails', { key: 'string', details: 'struct' }, (call, { key, details }) => setDetails(call, key, details)),
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
    await call.database.rows('DELETE FROM rhnregtoken WHERE id = $1', [await wantKeyToChange(call, key)]);
    return 1;
  }),
];
