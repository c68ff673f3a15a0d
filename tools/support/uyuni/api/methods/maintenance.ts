import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, wantRole, writes } from '../method.ts';
import { textIn, wantOnly, wantSystems } from '../wanted.ts';

type Struct = { readonly [name: string]: Value };

/** A calendar as the API shows it; one that the server does not fetch has no address. */
const calendarShown = `json_strip_nulls(json_build_object('id', c.id, 'orgId', c.org_id, 'label', c.label, 'url', c.url, 'ical', c.ical))`;

async function calendarOf({ database, caller }: Call, label: string): Promise<{ id: number; shown: Struct }> {
  const [found] = await database.rows<{ id: number; shown: Struct }>(
    `SELECT c.id, ${calendarShown} AS shown FROM susemaintenancecalendar c WHERE c.org_id = $1 AND c.label = $2`,
    [caller.org, label],
  );
  if (!found) throw faults.missing(label);
  return found;
}

/** What became of the actions of each schedule of a calendar. Here no action is in the way. */
async function rescheduled({ database }: Call, calendar: number): Promise<Value> {
  const of = await database.rows<{ name: string }>('SELECT name FROM susemaintenanceschedule WHERE ical_id = $1 ORDER BY name', [calendar]);
  return of.map(({ name }) => nothingToReschedule(name));
}

const nothingToReschedule = (name: string) => ({
  ...{ strategy: '', for_schedule_name: name, status: true, message: 'Nothing to reschedule', actions: [] },
});

function wantType(type: string): void {
  if (!['single', 'multi'].includes(type)) throw faults.invalidParameter(`${type} is no type of maintenance schedules`);
}

async function createCalendar(call: Call, label: string, ical: string, url: string | null): Promise<Value> {
  wantRole(call.caller);
  const made = await call.database.rows(
    `INSERT INTO susemaintenancecalendar (id, org_id, label, url, ical) VALUES (nextval('suse_mtcal_id_seq'), $1, $2, $3, $4)
     ON CONFLICT DO NOTHING RETURNING id`,
    [call.caller.org, label, url, ical],
  );
  if (made.length === 0) throw faults.exists(label);
  return (await calendarOf(call, label)).shown;
}

async function scheduleOf({ database, caller }: Call, name: string): Promise<Struct> {
  const [found] = await database.rows<Struct & { calendar: Struct | null }>(
    `SELECT s.id, s.org_id AS "orgId", s.name, s.sched_type AS type, CASE WHEN c.id IS NOT NULL THEN ${calendarShown} END AS calendar
     FROM susemaintenanceschedule s LEFT JOIN susemaintenancecalendar c ON c.id = s.ical_id WHERE s.org_id = $1 AND s.name = $2`,
    [caller.org, name],
  );
  if (!found) throw faults.missing(name);
  const { calendar, ...schedule } = found;
  return { ...schedule, ...(calendar && { calendar }) };
}

async function createSchedule(call: Call, { name, type, calendar }: { name: string; type: string; calendar?: string }): Promise<Value> {
  wantRole(call.caller);
  wantType(type);
  const of = calendar === undefined ? undefined : await calendarOf(call, calendar);
  const made = await call.database.rows(
    `INSERT INTO susemaintenanceschedule (id, org_id, name, sched_type, ical_id) VALUES (nextval('suse_mtsched_id_seq'), $1, $2, $3, $4)
     ON CONFLICT DO NOTHING RETURNING id`,
    [call.caller.org, name, type, of?.id ?? null],
  );
  if (made.length === 0) throw faults.exists(name);
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
  writes('maintenance.getCalendarDetails', { label: 'string' }, async (call, { label }) => (await calendarOf(call, label)).shown),
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
      wantOnly(details, 'ical', 'url');
      const { id } = await calendarOf(call, label);
      const [ical, url] = [textIn(details, 'ical'), textIn(details, 'url')];
      // A calendar of its own keeps the address that it had; one at an address would be fetched.
      const set = ical !== undefined ? 'ical = $2' : "url = $2, ical = ''";
      if (ical !== undefined || url !== undefined)
        await call.database.rows(`UPDATE susemaintenancecalendar SET ${set}, modified = current_timestamp WHERE id = $1`, [
          id,
          ical ?? url,
        ]);
      return rescheduled(call, id);
    },
  ),
  writes('maintenance.deleteCalendar', { label: 'string', cancelScheduledActions: 'boolean' }, async (call, { label }) => {
    wantRole(call.caller);
    const { id } = await calendarOf(call, label);
    const results = await rescheduled(call, id);
    await call.database.rows('DELETE FROM susemaintenancecalendar WHERE id = $1', [id]);
    return results;
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
      wantOnly(details, 'type', 'calendar');
      const { id } = await scheduleOf(call, name);
      const [type, calendar] = [textIn(details, 'type'), textIn(details, 'calendar')];
      if (type !== undefined) {
        wantType(type);
        await call.database.rows('UPDATE susemaintenanceschedule SET sched_type = $2 WHERE id = $1', [id, type]);
      }
      if (calendar !== undefined) {
        const of = calendar === '' ? null : (await calendarOf(call, calendar)).id;
        await call.database.rows('UPDATE susemaintenanceschedule SET ical_id = $2 WHERE id = $1', [id, of]);
      }
      return nothingToReschedule(name);
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
    if (done.length === 0) throw faults.missing(scheduleName);
    return done.map(({ id }) => id);
  }),
  writes('maintenance.retractScheduleFromSystems', { sids: 'int[]' }, async (call, { sids }) => {
    const given = await wantSystems(call, sids);
    await call.database.rows('UPDATE rhnserver SET maintenance_schedule_id = NULL WHERE id = ANY($1)', [given]);
    return given;
  }),
];
