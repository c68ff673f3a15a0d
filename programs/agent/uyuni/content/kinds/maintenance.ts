import * as z from 'zod';
import { isSameJson } from '../../../../../lib/core/json.ts';
import { aContentKind, type Here, Text, when } from '../kind.ts';

/** A change by which an action would be outside of its window is refused: nobody loses an action. */
const reschedule = ['Fail'] as const;

/** A calendar of its own, or one that the server fetches from an address. */
const Calendar = z.union([z.strictObject({ url: z.string().min(1) }), z.strictObject({ ical: z.string() })]);
const CalendarDetails = z.object({ url: Text, ical: Text });

const calendar = aContentKind({
  kind: 'maintenance-calendar',
  schema: Calendar,
  read: async (ask) => {
    const found: [string, Here<unknown>][] = [];
    for (const label of await ask('maintenance.listCalendarLabels', {}, z.array(z.string()))) {
      const { url, ical } = await ask('maintenance.getCalendarDetails', { label }, CalendarDetails);
      found.push([label, { document: url === '' ? { ical } : { url }, id: label }]);
    }
    return found;
  },
  create: (label, wanted) =>
    when(true, `make the calendar ${label}`, 'url' in wanted ? 'maintenance.createCalendarWithUrl' : 'maintenance.createCalendar', {
      label,
      ...wanted,
    }),
  change: (label, { document }, wanted) => {
    const keepsAddress = 'url' in document && 'ical' in wanted;
    return {
      steps: when(!keepsAddress && !isSameJson(document, wanted), `change the calendar ${label}`, 'maintenance.updateCalendar', {
        ...{ label, details: wanted, rescheduleStrategy: reschedule },
      }),
      cannot: keepsAddress ? ['a server keeps the address of a calendar that has one: remove it there, and import again'] : [],
    };
  },
  remove: (label) => when(true, `remove the calendar ${label}`, 'maintenance.deleteCalendar', { label, cancelScheduledActions: false }),
});

const Schedule = z.object({ type: z.string(), calendar: z.string().nullable().default(null) });
const ScheduleDetails = z.object({ type: z.string(), calendar: z.object({ label: z.string() }).nullish() });

const schedule = aContentKind({
  kind: 'maintenance-schedule',
  schema: Schedule,
  read: async (ask) => {
    const found: [string, Here<unknown>][] = [];
    for (const name of await ask('maintenance.listScheduleNames', {}, z.array(z.string()))) {
      const details = await ask('maintenance.getScheduleDetails', { name }, ScheduleDetails);
      found.push([name, { document: { type: details.type, calendar: details.calendar?.label ?? null }, id: name }]);
    }
    return found;
  },
  create: (name, { type, calendar: label }) =>
    when(true, `make the maintenance schedule ${name}`, 'maintenance.createSchedule', {
      ...{ name, type },
      ...(label !== null && { calendar: label }),
    }),
  change: (name, { document }, wanted) => ({
    steps: when(!isSameJson(document, wanted), `change the maintenance schedule ${name}`, 'maintenance.updateSchedule', {
      ...{ name, details: { type: wanted.type, calendar: wanted.calendar ?? '' }, rescheduleStrategy: reschedule },
    }),
    cannot: [],
  }),
  remove: (name) => when(true, `remove the maintenance schedule ${name}`, 'maintenance.deleteSchedule', { name }),
});

/** In order of making. */
export const maintenanceKinds = [calendar, schedule] as const;
