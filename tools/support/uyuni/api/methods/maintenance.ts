import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, wantRole, writes } from '../method.ts';
import { textIn, wantSystems } from '../wanted.ts';

const calendarShown = `id, org_id AS "orgId", label, coalesce(url, '') AS url, ical`;

async function wantCalendar({ database, caller }: Call, label: string) {
  const [found] = await database.rows<{ id: number }>(
    `SELECT ${calendarShown} FROM susemaintenancecalendar WHERE org_id = $1 AND label = $2`,
    [caller.org, label],
  );
  if (!found) throw faults.invalid(`There is no maintenance calendar ${label}`);
  return found;
}

async function createCalendar(call: Call, label: string, ical: string, url: string | null): Promise<Value> {
  wantRole(call.caller);
  const made = await call.database.rows(
    `INSERT INTO susemaintenancecalendar (id, org_id, label, url, ical) VALUES (nextval('suse_mtcal_id_seq'), $1, $2, $3, $4)
     ON CONFLICT DO NOTHING RETURNING id`,
    [call.caller.org, label, url, ical],
  );
  if (made.length === 0) throw faults.invalid(`There is a maintenance calendar ${label} already`);
  return { ...(await wantCalendar(call, label)) };
}

async function scheduleOf({ database, caller }: Call, name: string): Promise<{ readonly [name: string]: Value }> {
  const [found] = await database.rows<{ calendar: { readonly [name: string]: Value } | null }>(
    `SELECT s.id, s.org_id AS "orgId", s.name, s.sched_type AS type, CASE WHEN c.id IS NULL THEN NULL ELSE
       json_build_object('id', c.id, 'orgId', c.org_id, 'label', c.label, 'url', coalesce(c.url, ''), 'ical', c.ical) END AS calendar
     FROM susemaintenanceschedule s LEFT JOIN susemaintenancecalendar c ON c.id = s.ical_id WHERE s.org_id = $1 AND s.name = $2`,
    [caller.org, name],
  );
  if (!found) throw faults.invalid(`There is no maintenance schedule ${name}`);
  const { calendar, ...schedule } = found;
  return { ...schedule, ...(calendar && { calendar }) };
}

async function createSchedule(call: Call, { name, type, calendar }: { name: string; type: string; calendar?: string }): Promise<Value> {
  wantRole(call.caller);
  const of = calendar === undefined ? undefined : await wantCalendar(call, calendar);
  const made = await call.database.rows(
    `INSERT INTO susemaintenanceschedule (id, org_id, name, sched_type, ical_id) VALUES (nextval('suse_mtsched_id_seq'), $1, $2, $3, $4)
     ON CONFLICT DO NOTHING RETURNING id`,
    [call.caller.org, name, type, of?.id ?? null],
  );
  if (made.length === 0) throw faults.invalid(`There is a maintenance schedule ${name} already`);
  return scheduleOf(call, name);
}

const assign = { scheduleName: 'string', sids: 'int[]', rescheduleStrategy: 'string[]' } as const;

/** Maintenance schedules and calendars. All of these methods are POST, those that only read too. */
export const maintenanceMethods: readonly Method[] = [
  writes('maintenance.listCalendarLabels', {}, async ({ database, caller }) =>
    (
      await database.rows<{ label: string }>('SELECT label FROM susemaintenancecalendar WHERE org_id = $1 ORDER BY label', [caller.org])
    ).map(({ label }) => label),
  ),
  writes('maintenance.getCalendarDetails', { label: 'string' }, async (call, { label }) => ({ ...(await wantCalendar(call, label)) })),
  writes('maintenance.createCalendar', { label: 'string', ical: 'string' }, (call, { label, ical }) =>
    createCalendar(call, label, ical, null),
  ),
  writes('maintenance.createCalendarWithUrl', { label: 'string', url: 'string' }, (call, { label, url }) =>
    createCalendar(call, label, '', url),
  ),
  writes(
    'maintenance.updateCalendar',
    { label: 'string', details: 'struct', rescheduleStrategy: 'string[]' },
    async (call, { label, details }) => {
      wantRole(call.caller);
      const { id } = await wantCalendar(call, label);
      await call.database.rows('UPDATE susemaintenancecalendar SET url = $2, ical = $3, modified = current_timestamp WHERE id = $1', [
        id,
        textIn(details, 'url') ?? null,
        textIn(details, 'ical') ?? '',
      ]);
      return [];
    },
  ),
  writes('maintenance.deleteCalendar', { label: 'string', cancelScheduledActions: 'boolean' }, async (call, { label }) => {
    wantRole(call.caller);
    const { id } = await wantCalendar(call, label);
    await call.database.rows('DELETE FROM susemaintenancecalendar WHERE id = $1', [id]);
    return [];
  }),
  writes('maintenance.listScheduleNames', {}, async ({ database, caller }) =>
    (await database.rows<{ name: string }>('SELECT name FROM susemaintenanceschedule WHERE org_id = $1 ORDER BY name', [caller.org])).map(
      ({ name }) => name,
    ),
  ),
  writes('maintenance.getScheduleDetails', { name: 'string' }, (call, { name }) => scheduleOf(call, name)),
  writes('maintenance.createSchedule', { name: 'string', type: 'string' }, createSchedule),
  writes('maintenance.createSchedule', { name: 'string', type: 'string', calendar: 'string' }, createSchedule),
  writes(
    'maintenance.updateSchedule',
    { name: 'string', details: 'struct', rescheduleStrategy: 'string[]' },
    async (call, { name, details }) => {
      wantRole(call.caller);
      const { id } = await scheduleOf(call, name);
      const calendar = textIn(details, 'calendar') ?? '';
      const of = calendar === '' ? undefined : await wantCalendar(call, calendar);
      await call.database.rows('UPDATE susemaintenanceschedule SET sched_type = coalesce($2, sched_type), ical_id = $3 WHERE id = $1', [
        ...[id, textIn(details, 'type') ?? null, of?.id ?? null],
      ]);
      return [];
    },
  ),
  writes('maintenance.deleteSchedule', { name: 'string' }, async (call, { name }) => {
    wantRole(call.caller);
    const { id } = await scheduleOf(call, name);
    await call.database.rows('DELETE FROM susemaintenanceschedule WHERE id = $1', [id]);
    return 1;
  }),
  writes('maintenance.assignScheduleToSystems', assign, async (call, { scheduleName, sids }) => {
    const given = await wantSystems(call, sids);
    const done = await call.database.rows<{ id: number }>(
      `UPDATE rhnserver s SET maintenance_schedule_id = m.id FROM susemaintenanceschedule m
       WHERE s.id = ANY($1) AND m.name = $2 AND m.org_id = $3 RETURNING s.id`,
      [given, scheduleName, call.caller.org],
    );
    if (done.length === 0) throw faults.invalid(`There is no maintenance schedule ${scheduleName}`);
    return done.map(({ id }) => id);
  }),
  writes('maintenance.retractScheduleFromSystems', { sids: 'int[]' }, async (call, { sids }) => {
    const given = await wantSystems(call, sids);
    await call.database.rows('UPDATE rhnserver SET maintenance_schedule_id = NULL WHERE id = ANY($1)', [given]);
    return given;
  }),
];
