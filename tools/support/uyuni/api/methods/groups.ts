import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { wantGroup, wantSystem, wantSystems } from '../wanted.ts';
import { setMembers } from './system-changes.ts';
import { detailsOf } from './systems.ts';

const shown = 'id, name, description, org_id, current_members AS system_count';

const groupOf = async (call: Call, group: string | number) => {
  const [found] = await call.database.rows(`SELECT ${shown} FROM rhnservergroup WHERE id = $1`, [await wantGroup(call, group)]);
  return found ?? null;
};

/** Groups of systems. */
export const groupMethods: readonly Method[] = [
  reads('systemgroup.listAllGroups', {}, ({ database, caller }) =>
    database.rows(`SELECT ${shown} FROM rhnservergroup WHERE org_id = $1 AND group_type IS NULL ORDER BY name`, [caller.org]),
  ),
  reads('systemgroup.getDetails', { systemGroupId: 'int' }, (call, { systemGroupId }) => groupOf(call, systemGroupId)),
  reads('systemgroup.getDetails', { systemGroupName: 'string' }, (call, { systemGroupName }) => groupOf(call, systemGroupName)),
  writes('systemgroup.create', { name: 'string', description: 'string' }, async (call, { name, description }) => {
    wantRole(call.caller, 'system_group_admin');
    const [made] = await call.database.rows(
      `INSERT INTO rhnservergroup (id, name, description, org_id) VALUES (nextval('rhn_server_group_id_seq'), $1, $2, $3)
       ON CONFLICT DO NOTHING RETURNING ${shown}`,
      [name, description, call.caller.org],
    );
    if (!made) throw faults.doubleGroup(name);
    return made;
  }),
  writes('systemgroup.update', { systemGroupName: 'string', description: 'string' }, async (call, { systemGroupName, description }) => {
    wantRole(call.caller, 'system_group_admin');
    const id = await wantGroup(call, systemGroupName);
    const [now] = await call.database.rows(
      `UPDATE rhnservergroup SET description = $2, modified = current_timestamp WHERE id = $1 RETURNING ${shown}`,
      [id, description],
    );
    return now ?? null;
  }),
  writes('systemgroup.delete', { systemGroupName: 'string' }, async (call, { systemGroupName }) => {
    wantRole(call.caller, 'system_group_admin');
    const id = await wantGroup(call, systemGroupName);
    await call.database.rows('DELETE FROM rhnservergroupmembers WHERE server_group_id = $1', [id]);
    await call.database.rows('DELETE FROM rhnservergroup WHERE id = $1', [id]);
    return 1;
  }),
  reads('systemgroup.listSystems', { systemGroupName: 'string' }, async (call, { systemGroupName }) =>
    detailsOf(call, 's.id IN (SELECT server_id FROM rhnservergroupmembers WHERE server_group_id = $1)', [
      await wantGroup(call, systemGroupName),
    ]),
  ),
  reads('systemgroup.listSystemsMinimal', { systemGroupName: 'string' }, async (call, { systemGroupName }) =>
    call.database.rows(
      `SELECT s.id, s.name, coalesce(i.checkin, s.created) AS last_checkin, s.created FROM rhnserver s
       JOIN rhnservergroupmembers m ON m.server_id = s.id LEFT JOIN rhnserverinfo i ON i.server_id = s.id
       WHERE m.server_group_id = $1 ORDER BY s.name`,
      [await wantGroup(call, systemGroupName)],
    ),
  ),
  writes(
    'systemgroup.addOrRemoveSystems',
    { systemGroupName: 'string', serverIds: 'int[]', add: 'boolean' },
    async (call, { systemGroupName, serverIds, add }) => {
      await setMembers(call, await wantGroup(call, systemGroupName), await wantSystems(call, serverIds), add);
      return 1;
    },
  ),
  reads('system.listGroups', { sid: 'int' }, async (call, { sid }) =>
    call.database.rows(
      `SELECT g.id, (EXISTS (SELECT FROM rhnservergroupmembers m WHERE m.server_group_id = g.id AND m.server_id = $1))::int AS subscribed,
         g.name AS system_group_name, g.id::text AS sgid
       FROM rhnservergroup g WHERE g.org_id = $2 AND g.group_type IS NULL ORDER BY g.name`,
      [await wantSystem(call, sid), call.caller.org],
    ),
  ),
  writes('system.setGroupMembership', { sid: 'int', sgid: 'int', member: 'boolean' }, async (call, { sid, sgid, member }) => {
    await setMembers(call, await wantGroup(call, sgid), [await wantSystem(call, sid)], member);
    return 1;
  }),
];
