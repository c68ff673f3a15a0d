import { faults } from '../faults.ts';
import { type Call, type Method, reads } from '../method.ts';
import { wantSystem } from '../wanted.ts';

/** What a list shows of each system; a system that never called in was last heard when it was registered. */
const entry = `s.id, s.name, coalesce(i.checkin, s.created) AS last_checkin, s.created, to_timestamp(s.last_boot) AS last_boot`;
const systems = 'rhnserver s LEFT JOIN rhnserverinfo i ON i.server_id = s.id';
const counts = '0 AS extra_pkg_count, 0 AS outdated_pkg_count';

const all = (call: Call, more = '', values: readonly unknown[] = []) =>
  call.database.rows(`SELECT ${entry} FROM ${systems} WHERE s.org_id = $1 ${more} ORDER BY s.name, s.id`, [call.caller.org, ...values]);

const details = `s.id, s.name AS profile_name, s.machine_id, s.payg = 'Y' AS payg, m.minion_id,
  coalesce((SELECT t.label FROM rhnservergroupmembers gm JOIN rhnservergroup g ON g.id = gm.server_group_id
    JOIN rhnservergrouptype t ON t.id = g.group_type WHERE gm.server_id = s.id AND t.is_base = 'Y' LIMIT 1), 'unentitled') AS base_entitlement,
  (SELECT coalesce(json_agg(t.label ORDER BY t.label), '[]') FROM rhnservergroupmembers gm JOIN rhnservergroup g ON g.id = gm.server_group_id
    JOIN rhnservergrouptype t ON t.id = g.group_type WHERE gm.server_id = s.id AND t.is_base = 'N') AS addon_entitlements,
  s.auto_update = 'Y' AS auto_update, s.release, coalesce(l.address1, '') AS address1, coalesce(l.address2, '') AS address2,
  coalesce(l.city, '') AS city, coalesce(l.state, '') AS state, coalesce(l.country, '') AS country, coalesce(l.building, '') AS building,
  coalesce(l.room, '') AS room, coalesce(l.rack, '') AS rack, coalesce(s.description, '') AS description, coalesce(s.hostname, '') AS hostname,
  to_timestamp(s.last_boot) AS last_boot, 'unknown' AS osa_status,
  EXISTS (SELECT FROM rhnserverlock k WHERE k.server_id = s.id) AS lock_status, '' AS virtualization,
  (SELECT c.label FROM suseservercontactmethod c WHERE c.id = s.contact_method_id) AS contact_method`;
const detailed = 'rhnserver s LEFT JOIN suseminioninfo m ON m.server_id = s.id LEFT JOIN rhnserverlocation l ON l.server_id = s.id';

/** The details of the systems that a condition on `s` names, as `system.getDetails` shows them. */
export const detailsOf = (call: Call, condition: string, values: readonly unknown[]) =>
  call.database.rows(`SELECT ${details} FROM ${detailed} WHERE ${condition} ORDER BY s.name, s.id`, values);

async function one(call: Call, sid: number, sql: string) {
  const [row] = await call.database.rows(sql, [await wantSystem(call, sid)]);
  if (!row) throw faults.noSuchSystem(sid);
  return row;
}

const column = async (call: Call, sid: number, sql: string) =>
  (await one(call, sid, `SELECT ${sql} AS one FROM rhnserver s WHERE s.id = $1`))['one'] ?? '';

/** What can be asked about systems. */
export const systemMethods: readonly Method[] = [
  reads('system.listSystems', {}, (call) => all(call)),
  reads('system.listUserSystems', {}, (call) => all(call)),
  reads('system.listUserSystems', { login: 'string' }, (call) => all(call)),
  reads('system.listActiveSystems', {}, (call) => all(call, "AND i.checkin > current_timestamp - interval '1 day'")),
  reads('system.listInactiveSystems', {}, (call) => all(call, "AND i.checkin <= current_timestamp - interval '1 day'")),
  reads('system.listInactiveSystems', { days: 'int' }, (call, { days }) =>
    all(call, 'AND i.checkin <= current_timestamp - make_interval(days => $2)', [days]),
  ),
  reads('system.searchByName', { regexp: 'string' }, (call, { regexp }) => all(call, 'AND s.name ~ $2', [regexp])),
  reads('system.getId', { name: 'string' }, (call, { name }) =>
    call.database.rows(`SELECT ${entry}, ${counts} FROM ${systems} WHERE s.org_id = $1 AND s.name = $2 ORDER BY s.id`, [
      call.caller.org,
      name,
    ]),
  ),
  reads('system.getName', { sid: 'int' }, (call, { sid }) =>
    one(call, sid, `SELECT s.id, s.name, coalesce(i.checkin, s.created) AS last_checkin FROM ${systems} WHERE s.id = $1`),
  ),
  reads('system.getDetails', { sid: 'int' }, (call, { sid }) => one(call, sid, `SELECT ${details} FROM ${detailed} WHERE s.id = $1`)),
  reads('system.getUuid', { sid: 'int' }, (call, { sid }) => column(call, sid, "''")),
  reads('system.getNetwork', { sid: 'int' }, (call, { sid }) =>
    one(
      call,
      sid,
      `SELECT '192.0.2.' || s.id % 254 AS ip, '' AS ip6, coalesce(s.hostname, s.name) AS hostname FROM rhnserver s WHERE s.id = $1`,
    ),
  ),
  reads('system.listFqdns', { sid: 'int' }, async (call, { sid }) => [await column(call, sid, 'coalesce(s.hostname, s.name)')]),
  reads('system.getRegistrationDate', { sid: 'int' }, (call, { sid }) => column(call, sid, 's.created')),
  reads('system.getRunningKernel', { sid: 'int' }, (call, { sid }) => column(call, sid, 's.running_kernel')),
  reads('system.getMinionIdMap', {}, async ({ database, caller }) => {
    const rows = await database.rows<{ minion_id: string; id: number }>(
      'SELECT m.minion_id, s.id FROM suseminioninfo m JOIN rhnserver s ON s.id = m.server_id WHERE s.org_id = $1',
      [caller.org],
    );
    return Object.fromEntries(rows.map(({ minion_id: minion, id }) => [minion, id]));
  }),
  reads('system.listActivationKeys', { sid: 'int' }, async (call, { sid }) => {
    await wantSystem(call, sid);
    return [];
  }),
];
