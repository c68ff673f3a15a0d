import type { DateTime } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, writes } from '../method.ts';
import { momentOf, wantSystem, wantSystems } from '../wanted.ts';

/** Queues an action for systems that the caller may see; gives its number. */
export async function schedule(call: Call, given: readonly number[], type: string, earliest?: DateTime): Promise<number> {
  const { database, caller } = call;
  const sids = await wantSystems(call, given);
  const at = earliest === undefined ? new Date() : new Date(momentOf(earliest));
  const [action] = await database.rows<{ id: number }>(
    `INSERT INTO rhnaction (id, org_id, action_type, name, scheduler, earliest_action)
     SELECT nextval('rhn_event_id_seq'), $1, id, name, $2, $3 FROM rhnactiontype WHERE label = $4 RETURNING id`,
    [caller.org, caller.id, at, type],
  );
  if (!action) throw faults.internal(`there is no action ${type}`);
  await database.rows('INSERT INTO rhnserveraction (server_id, action_id, status) SELECT sid, $2, 0 FROM unnest($1::numeric[]) sid', [
    sids,
    action.id,
  ]);
  return action.id;
}

const counted = (status: string): string =>
  `(SELECT count(*) FROM rhnserveraction sa WHERE sa.action_id = a.id AND sa.status IN (${status}))`;
const shown = `a.id, a.name, t.name AS type, c.login AS scheduler, a.earliest_action AS earliest,
  coalesce(a.prerequisite, 0) AS prerequisite, ${counted('2')} AS "completedSystems", ${counted('3')} AS "failedSystems",
  ${counted('0, 1')} AS "inProgressSystems"`;

/** The actions of the organization of the caller. One that the server has scheduled by itself has no scheduler. */
const actions = async ({ database, caller }: Call, status?: string) => {
  const rows = await database.rows<{ readonly scheduler: string | null } & { readonly [column: string]: never }>(
    `SELECT ${shown} FROM rhnaction a JOIN rhnactiontype t ON t.id = a.action_type LEFT JOIN web_contact c ON c.id = a.scheduler
     WHERE a.org_id = $1 AND a.archived = 0
     ${status === undefined ? '' : `AND EXISTS (SELECT FROM rhnserveraction sa WHERE sa.action_id = a.id AND sa.status IN (${status}))`}
     ORDER BY a.id`,
    [caller.org],
  );
  return rows.map(({ scheduler, ...row }) => (scheduler === null ? row : { ...row, scheduler }));
};

async function systemsOf({ database, caller }: Call, action: number, status: string) {
  const [found] = await database.rows('SELECT id FROM rhnaction WHERE id = $1 AND org_id = $2', [action, caller.org]);
  if (!found) throw faults.noSuchAction(action);
  return database.rows(
    `SELECT s.id AS server_id, s.name AS server_name, coalesce(c.name, '') AS base_channel, sa.modified AS timestamp,
       coalesce(sa.result_msg, '') AS message
     FROM rhnserveraction sa JOIN rhnserver s ON s.id = sa.server_id
     LEFT JOIN LATERAL (SELECT b.name FROM rhnserverchannel sc JOIN rhnchannel b ON b.id = sc.channel_id
       WHERE sc.server_id = s.id AND b.parent_channel IS NULL LIMIT 1) c ON true
     WHERE sa.action_id = $1 AND sa.status IN (${status}) ORDER BY s.name`,
    [action],
  );
}

/** The actions and the other events of a system, the newest first. */
const history = `SELECT * FROM (
    SELECT a.id, t.label AS history_type, st.name AS status, a.name AS summary, sa.completion_time AS completed, coalesce(sa.result_msg, '') AS details,
      coalesce(sa.completion_time, sa.created) AS at
    FROM rhnserveraction sa JOIN rhnaction a ON a.id = sa.action_id JOIN rhnactiontype t ON t.id = a.action_type
    JOIN rhnactionstatus st ON st.id = sa.status WHERE sa.server_id = $1
    UNION ALL
    SELECT h.id, 'History Event', '(n/a)', h.summary, h.created, coalesce(h.details, ''), h.created FROM rhnserverhistory h WHERE h.server_id = $1
  ) events`;
const columns = (row: { readonly [column: string]: unknown }) =>
  Object.fromEntries(Object.entries(row).filter(([name, value]) => !['at', 'details'].includes(name) && value !== null));

type EventRow = Parameters<typeof columns>[0] & { readonly [column: string]: never };

async function events(call: Call, sid: number, { since, offset, limit }: { since?: DateTime; offset?: number; limit?: number }) {
  const rows = await call.database.rows<EventRow>(
    `${history} WHERE $2::timestamptz IS NULL OR at >= $2 ORDER BY at DESC, id DESC OFFSET $3 LIMIT $4`,
    [await wantSystem(call, sid), since && new Date(momentOf(since)), offset ?? 0, limit ?? null],
  );
  return rows.map(columns) as EventRow[];
}

/** What is scheduled, and what has happened. */
export const scheduleMethods: readonly Method[] = [
  reads('schedule.listAllActions', {}, (call) => actions(call)),
  reads('schedule.listInProgressActions', {}, (call) => actions(call, '0, 1')),
  reads('schedule.listCompletedActions', {}, (call) => actions(call, '2')),
  reads('schedule.listFailedActions', {}, (call) => actions(call, '3')),
  reads('schedule.listInProgressSystems', { actionId: 'int' }, (call, { actionId }) => systemsOf(call, actionId, '0, 1')),
  reads('schedule.listCompletedSystems', { actionId: 'int' }, (call, { actionId }) => systemsOf(call, actionId, '2')),
  reads('schedule.listFailedSystems', { actionId: 'int' }, (call, { actionId }) => systemsOf(call, actionId, '3')),
  writes('schedule.cancelActions', { actionIds: 'int[]' }, async ({ database, caller }, { actionIds }) => {
    const gone = await database.rows<{ id: number }>('DELETE FROM rhnaction WHERE id = ANY($1) AND org_id = $2 RETURNING id', [
      actionIds,
      caller.org,
    ]);
    const missing = actionIds.find((id) => !gone.some((one) => one.id === id));
    if (missing !== undefined) throw faults.noSuchAction(missing);
    return 1;
  }),
  reads('system.getEventHistory', { sid: 'int' }, async (call, { sid }) =>
    call.database.rows(
      `SELECT completed, summary, details FROM (${history}) all_events WHERE completed IS NOT NULL ORDER BY completed DESC`,
      [await wantSystem(call, sid)],
    ),
  ),
  reads('system.getEventHistory', { sid: 'int', offset: 'int', limit: 'int' }, (call, { sid, offset, limit }) =>
    events(call, sid, { offset, limit }),
  ),
  reads('system.getEventHistory', { sid: 'int', earliestDate: 'date' }, (call, { sid, earliestDate }) =>
    events(call, sid, { since: earliestDate }),
  ),
  reads(
    'system.getEventHistory',
    { sid: 'int', earliestDate: 'date', offset: 'int', limit: 'int' },
    (call, { sid, earliestDate, offset, limit }) => events(call, sid, { since: earliestDate, offset, limit }),
  ),
  writes(
    'system.scheduleApplyHighstate',
    { sid: 'int', earliestOccurrence: 'date', test: 'boolean' },
    (call, { sid, earliestOccurrence }) => schedule(call, [sid], 'states.apply', earliestOccurrence),
  ),
  writes(
    'system.scheduleApplyHighstate',
    { sids: 'int[]', earliestOccurrence: 'date', test: 'boolean' },
    (call, { sids, earliestOccurrence }) => schedule(call, sids, 'states.apply', earliestOccurrence),
  ),
  writes('system.scheduleReboot', { sid: 'int', earliestOccurrence: 'date' }, (call, { sid, earliestOccurrence }) =>
    schedule(call, [sid], 'reboot.reboot', earliestOccurrence),
  ),
  writes('system.schedulePackageUpdate', { sids: 'int[]', earliestOccurrence: 'date' }, (call, { sids, earliestOccurrence }) =>
    schedule(call, sids, 'packages.update', earliestOccurrence),
  ),
  writes(
    'system.scheduleScriptRun',
    {
      ...{ label: 'string', sids: 'int[]', username: 'string', groupname: 'string', timeout: 'int', script: 'string' },
      earliestOccurrence: 'date',
    },
    async (call, { label, sids, earliestOccurrence }) => {
      const id = await schedule(call, sids, 'script.run', earliestOccurrence);
      await call.database.rows('UPDATE rhnaction SET name = $2 WHERE id = $1', [id, label]);
      return id;
    },
  ),
  writes('system.scheduleHardwareRefresh', { sid: 'int', earliestOccurrence: 'date' }, (call, { sid, earliestOccurrence }) =>
    schedule(call, [sid], 'hardware.refresh_list', earliestOccurrence),
  ),
];
