import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';

const given = { description: 'string', type: 'string', content: 'string' } as const;

async function wantKey({ database, caller }: Call, description: string) {
  const [found] = await database.rows<{ id: number }>(
    `SELECT k.id, k.description, t.label AS type, convert_from(k.key, 'UTF8') AS content FROM rhncryptokey k
     JOIN rhncryptokeytype t ON t.id = k.crypto_key_type_id WHERE k.org_id = $1 AND k.description = $2`,
    [caller.org, description],
  );
  if (!found) throw faults.invalidParameter(`There is no key ${description}`);
  return found;
}

/** Keys of GPG and SSL. */
export const cryptoKeyMethods: readonly Method[] = [
  reads('kickstart.keys.listAllKeys', {}, ({ database, caller }) =>
    database.rows(
      `SELECT k.description, t.label AS type FROM rhncryptokey k JOIN rhncryptokeytype t ON t.id = k.crypto_key_type_id
       WHERE k.org_id = $1 ORDER BY k.description`,
      [caller.org],
    ),
  ),
  reads('kickstart.keys.getDetails', { description: 'string' }, async (call, { description }) => {
    const { id: _own, ...key } = await wantKey(call, description);
    return key;
  }),
  writes('kickstart.keys.create', given, async ({ database, caller }, { description, type, content }) => {
    wantRole(caller, 'config_admin');
    const made = await database.rows(
      `INSERT INTO rhncryptokey (id, org_id, description, crypto_key_type_id, key)
       SELECT nextval('rhn_cryptokey_id_seq'), $1, $2, id, convert_to($3, 'UTF8') FROM rhncryptokeytype WHERE label = $4
       ON CONFLICT DO NOTHING RETURNING id`,
      [caller.org, description, content, type],
    );
    if (made.length === 0) throw faults.invalidParameter(`The key ${description} is there already, or ${type} is no type of keys`);
    return 1;
  }),
  writes('kickstart.keys.update', given, async (call, { description, type, content }) => {
    wantRole(call.caller, 'config_admin');
    const { id } = await wantKey(call, description);
    await call.database.rows(
      `UPDATE rhncryptokey SET key = convert_to($2, 'UTF8'), crypto_key_type_id = (SELECT id FROM rhncryptokeytype WHERE label = $3) WHERE id = $1`,
      [id, content, type],
    );
    return 1;
  }),
  writes('kickstart.keys.delete', { description: 'string' }, async (call, { description }) => {
    wantRole(call.caller, 'config_admin');
    const { id } = await wantKey(call, description);
    await call.database.rows('DELETE FROM rhncryptokey WHERE id = $1', [id]);
    return 1;
  }),
];
