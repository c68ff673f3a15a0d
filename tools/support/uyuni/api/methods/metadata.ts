import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { wantSystem } from '../wanted.ts';

type Custom = { readonly label: string; readonly value: string };

async function setValues(call: Call, given: number, values: { readonly [label: string]: Value }): Promise<number> {
  const sid = await wantSystem(call, given);
  for (const [label, value] of Object.entries(values)) {
    const set = await call.database.rows(
      `INSERT INTO rhnservercustomdatavalue (server_id, key_id, value, created_by, last_modified_by)
       SELECT $1, id, $3, $4, $4 FROM rhncustomdatakey WHERE label = $2 AND org_id = $5
       ON CONFLICT (server_id, key_id) DO UPDATE SET value = excluded.value, last_modified_by = $4, modified = current_timestamp RETURNING key_id`,
      [sid, label, String(value), call.caller.id, call.caller.org],
    );
    if (set.length === 0) throw faults.invalid(`One or more of the following custom info fields was not defined: ${label}`);
  }
  return 1;
}

/** Notes and custom values of systems, and the keys of those values. */
export const metadataMethods: readonly Method[] = [
  writes('system.addNote', { sid: 'int', subject: 'string', body: 'string' }, async (call, { sid, subject, body }) => {
    await call.database.rows(
      `INSERT INTO rhnservernotes (id, creator, server_id, subject, note) VALUES (nextval('rhn_server_note_id_seq'), $1, $2, $3, $4)`,
      [call.caller.id, await wantSystem(call, sid), subject, body],
    );
    return 1;
  }),
  reads('system.listNotes', { sid: 'int' }, async (call, { sid }) =>
    call.database.rows(
      `SELECT n.id, n.subject, coalesce(n.note, '') AS note, n.server_id AS system_id, coalesce(c.login, '') AS creator, n.modified AS updated
       FROM rhnservernotes n LEFT JOIN web_contact c ON c.id = n.creator WHERE n.server_id = $1 ORDER BY n.id`,
      [await wantSystem(call, sid)],
    ),
  ),
  writes('system.deleteNote', { sid: 'int', noteId: 'int' }, async (call, { sid, noteId }) => {
    await call.database.rows('DELETE FROM rhnservernotes WHERE server_id = $1 AND id = $2', [await wantSystem(call, sid), noteId]);
    return 1;
  }),
  writes('system.deleteNotes', { sid: 'int' }, async (call, { sid }) => {
    await call.database.rows('DELETE FROM rhnservernotes WHERE server_id = $1', [await wantSystem(call, sid)]);
    return 1;
  }),
  reads('system.getCustomValues', { sid: 'int' }, async (call, { sid }) => {
    const rows = await call.database.rows<Custom>(
      `SELECT k.label, coalesce(v.value, '') AS value FROM rhnservercustomdatavalue v JOIN rhncustomdatakey k ON k.id = v.key_id
       WHERE v.server_id = $1 ORDER BY k.label`,
      [await wantSystem(call, sid)],
    );
    return Object.fromEntries(rows.map(({ label, value }) => [label, value]));
  }),
  writes('system.setCustomValues', { sid: 'int', values: 'struct' }, (call, { sid, values }) => setValues(call, sid, values)),
  writes('system.deleteCustomValues', { sid: 'int', keys: 'string[]' }, async (call, { sid, keys }) => {
    await call.database.rows(
      'DELETE FROM rhnservercustomdatavalue v USING rhncustomdatakey k WHERE k.id = v.key_id AND v.server_id = $1 AND k.label = ANY($2)',
      [await wantSystem(call, sid), keys],
    );
    return 1;
  }),
  reads('system.custominfo.listAllKeys', {}, ({ database, caller }) =>
    database.rows(
      `SELECT k.id, k.label, k.description, k.modified AS last_modified,
         (SELECT count(*) FROM rhnservercustomdatavalue v WHERE v.key_id = k.id) AS system_count
       FROM rhncustomdatakey k WHERE k.org_id = $1 ORDER BY k.label`,
      [caller.org],
    ),
  ),
  writes('system.custominfo.createKey', { keyLabel: 'string', keyDescription: 'string' }, async (call, { keyLabel, keyDescription }) => {
    wantRole(call.caller);
    if (!/^[A-Za-z0-9_-]{2,64}$/.test(keyLabel))
      throw faults.invalid(`The label ${keyLabel} has other characters than letters, digits, _ and -`);
    const made = await call.database.rows(
      `INSERT INTO rhncustomdatakey (id, org_id, label, description, created_by, last_modified_by)
       VALUES (nextval('rhn_cdatakey_id_seq'), $1, $2, $3, $4, $4) ON CONFLICT DO NOTHING RETURNING id`,
      [call.caller.org, keyLabel, keyDescription, call.caller.id],
    );
    if (made.length === 0) throw faults.invalid(`There is a custom info key ${keyLabel} already`);
    return 1;
  }),
  writes('system.custominfo.updateKey', { keyLabel: 'string', keyDescription: 'string' }, async (call, { keyLabel, keyDescription }) => {
    wantRole(call.caller);
    const changed = await call.database.rows(
      'UPDATE rhncustomdatakey SET description = $3, last_modified_by = $4, modified = current_timestamp WHERE label = $1 AND org_id = $2 RETURNING id',
      [keyLabel, call.caller.org, keyDescription, call.caller.id],
    );
    if (changed.length === 0) throw faults.invalid(`There is no custom info key ${keyLabel}`);
    return 1;
  }),
  writes('system.custominfo.deleteKey', { keyLabel: 'string' }, async (call, { keyLabel }) => {
    wantRole(call.caller);
    const values = [keyLabel, call.caller.org];
    await call.database.rows(
      'DELETE FROM rhnservercustomdatavalue v USING rhncustomdatakey k WHERE k.id = v.key_id AND k.label = $1 AND k.org_id = $2',
      values,
    );
    const gone = await call.database.rows('DELETE FROM rhncustomdatakey WHERE label = $1 AND org_id = $2 RETURNING id', values);
    if (gone.length === 0) throw faults.invalid(`There is no custom info key ${keyLabel}`);
    return 1;
  }),
];
