import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { remember, textIn, wantSystem, wantSystems } from '../wanted.ts';

const columns = { profile_name: 'name', description: 'description' } as const;
const places = ['address1', 'address2', 'city', 'state', 'country', 'building', 'room', 'rack'] as const;

async function setDetails(call: Call, given: number, details: { readonly [name: string]: Value }): Promise<number> {
  const { database } = call;
  const sid = await wantSystem(call, given);
  for (const [field, column] of Object.entries(columns)) {
    const value = textIn(details, field);
    if (value !== undefined) await database.rows(`UPDATE rhnserver SET ${column} = $2 WHERE id = $1`, [sid, value]);
  }
  if (typeof details['auto_errata_update'] === 'boolean')
    await database.rows('UPDATE rhnserver SET auto_update = $2 WHERE id = $1', [sid, details['auto_errata_update'] ? 'Y' : 'N']);
  const method = textIn(details, 'contact_method');
  if (method !== undefined)
    await database.rows(
      'UPDATE rhnserver SET contact_method_id = (SELECT id FROM suseservercontactmethod WHERE label = $2) WHERE id = $1',
      [sid, method],
    );
  const moved = places.flatMap((place) => (textIn(details, place) === undefined ? [] : [[place, textIn(details, place)] as const]));
  if (moved.length > 0) {
    await database.rows(
      `INSERT INTO rhnserverlocation (id, server_id) VALUES (nextval('rhn_server_loc_id_seq'), $1) ON CONFLICT (server_id) DO NOTHING`,
      [sid],
    );
    for (const [place, value] of moved)
      await database.rows(`UPDATE rhnserverlocation SET ${place} = $2 WHERE server_id = $1`, [sid, value]);
  }
  return 1;
}

async function setEntitlements(call: Call, given: number, labels: readonly string[], isMember: boolean): Promise<number> {
  const sid = await wantSystem(call, given);
  for (const label of labels) {
    const [group] = await call.database.rows<{ id: number }>(
      `SELECT g.id FROM rhnservergroup g JOIN rhnservergrouptype t ON t.id = g.group_type
       WHERE t.label = $1 AND t.permanent = 'N' AND g.org_id = $2`,
      [label, call.caller.org],
    );
    if (!group) throw faults.invalidEntitlement();
    await setMembers(call, group.id, [sid], isMember);
  }
  return 1;
}

/** Has systems be members of a group or not; what is so already stays. */
export async function setMembers({ database }: Call, group: number, sids: readonly number[], isMember: boolean): Promise<void> {
  const changed = await database.rows(
    isMember
      ? `INSERT INTO rhnservergroupmembers (server_id, server_group_id) SELECT sid, $2 FROM unnest($1::numeric[]) sid
         ON CONFLICT DO NOTHING RETURNING server_id`
      : 'DELETE FROM rhnservergroupmembers WHERE server_id = ANY($1) AND server_group_id = $2 RETURNING server_id',
    [sids, group],
  );
  await database.rows('UPDATE rhnservergroup SET current_members = current_members + $2 WHERE id = $1', [
    group,
    isMember ? changed.length : -changed.length,
  ]);
}

/** What is kept for a system, to be removed before it; the rest goes with its row. */
const belongings = [
  ...['rhnserveraction', 'rhnserverhistory', 'rhnserverlock', 'rhnservernotes', 'rhnservercustomdatavalue', 'rhnserverconfigchannel'],
  ...['rhnserverchannel', 'rhnservergroupmembers', 'rhnserverlocation', 'rhnserverinfo', 'rhnregtoken'],
];

/** Removes systems with all that belongs to them, and their minions' keys, as the server does. */
async function deleteSystems(call: Call, given: readonly number[]): Promise<number> {
  const { database, keys } = call;
  const sids = await wantSystems(call, given);
  const minions = await database.rows<{ minion_id: string }>('SELECT minion_id FROM suseminioninfo WHERE server_id = ANY($1)', [sids]);
  await database.rows(
    `UPDATE rhnservergroup g SET current_members = current_members - m.n
     FROM (SELECT server_group_id, count(*) AS n FROM rhnservergroupmembers WHERE server_id = ANY($1) GROUP BY 1) m
     WHERE g.id = m.server_group_id`,
    [sids],
  );
  for (const table of belongings) await database.rows(`DELETE FROM ${table} WHERE server_id = ANY($1)`, [sids]);
  await database.rows('DELETE FROM rhnserver WHERE id = ANY($1)', [sids]);
  keys.remove(minions.map(({ minion_id: id }) => id));
  return 1;
}

/** What is done about keys by their names alone. */
const keyMethods = (['accept', 'reject', 'delete'] as const).map((verb) =>
  writes(`saltkey.${verb}`, { minionId: 'string' }, async ({ caller, keys }, { minionId }) => {
    wantRole(caller);
    const done = verb === 'delete' ? keys.remove([minionId]) > 0 : keys[verb](minionId);
    if (!done) throw faults.invalid(`The key ${minionId} is not there to ${verb}`);
    return 1;
  }),
);

const keyLists = (['accepted', 'pending', 'rejected', 'denied'] as const).map((state) =>
  reads(`saltkey.${state}List`, {}, async ({ caller, keys }) => {
    wantRole(caller);
    return keys.list(state);
  }),
);

/** What is done to systems themselves, and to the keys of their minions. */
export const systemChangeMethods: readonly Method[] = [
  ...keyLists,
  ...keyMethods,
  writes('system.setDetails', { sid: 'int', details: 'struct' }, (call, { sid, details }) => setDetails(call, sid, details)),
  writes('system.setProfileName', { sid: 'int', name: 'string' }, (call, { sid, name }) => setDetails(call, sid, { profile_name: name })),
  writes('system.setLockStatus', { sid: 'int', lockStatus: 'boolean' }, async (call, { sid, lockStatus }) => {
    await call.database.rows(
      lockStatus
        ? 'INSERT INTO rhnserverlock (server_id, locker_id) VALUES ($1, $2) ON CONFLICT DO NOTHING'
        : 'DELETE FROM rhnserverlock WHERE server_id = $1 AND $2::numeric IS NOT NULL',
      [await wantSystem(call, sid), call.caller.id],
    );
    return 1;
  }),
  reads('system.getEntitlements', { sid: 'int' }, async (call, { sid }) =>
    (
      await call.database.rows<{ label: string }>(
        `SELECT t.label FROM rhnservergroupmembers m JOIN rhnservergroup g ON g.id = m.server_group_id
         JOIN rhnservergrouptype t ON t.id = g.group_type WHERE m.server_id = $1 ORDER BY t.label`,
        [await wantSystem(call, sid)],
      )
    ).map(({ label }) => label),
  ),
  writes('system.addEntitlements', { sid: 'int', entitlements: 'string[]' }, (call, { sid, entitlements }) =>
    setEntitlements(call, sid, entitlements, true),
  ),
  writes('system.removeEntitlements', { sid: 'int', entitlements: 'string[]' }, (call, { sid, entitlements }) =>
    setEntitlements(call, sid, entitlements, false),
  ),
  writes('system.deleteSystem', { sid: 'int' }, (call, { sid }) => deleteSystems(call, [sid])),
  writes('system.deleteSystem', { sid: 'int', cleanupType: 'string' }, (call, { sid }) => deleteSystems(call, [sid])),
  writes('system.deleteSystems', { sids: 'int[]' }, (call, { sids }) => deleteSystems(call, sids)),
  writes('system.deleteSystems', { sids: 'int[]', cleanupType: 'string' }, (call, { sids }) => deleteSystems(call, sids)),
  writes('system.obtainReactivationKey', { sid: 'int' }, async (call, { sid }) => {
    const id = await wantSystem(call, sid);
    const [token] = await call.database.rows<{ id: number }>(
      `INSERT INTO rhnregtoken (id, org_id, user_id, server_id, note, usage_limit)
       VALUES (nextval('rhn_reg_token_seq'), $1, $2, $3, 'Reactivation key', 1) RETURNING id`,
      [call.caller.org, call.caller.id, id],
    );
    const key = `re-${call.caller.org}-${token?.id}`;
    await call.database.rows('INSERT INTO rhnactivationkey (token, reg_token_id) VALUES ($1, $2)', [key, token?.id]);
    await remember(call, [id], 'A reactivation key was made');
    return key;
  }),
];
