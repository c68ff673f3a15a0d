import { dayMs, type EpochMs, hourMs, minuteMs, secondMs } from '../../core/time.ts';
import type { Point, Scale, Slip } from './range.ts';

const unitsMs = { s: secondMs, m: minuteMs, h: hourMs, d: dayMs, w: 7 * dayMs } as const;
const isUnit = (text: string): text is keyof typeof unitsMs => Object.hasOwn(unitsMs, text);

const expected = 'an age such as >7d, or a date such as <2026-10-01 or 2026-10-01..2026-10-31';

/**
 * Dates in UTC, or with an offset, and ages: `2026-10`, `2026-10-01`, `2026-10-01T12:00`, `7d`. Numbers are
 * milliseconds since the epoch; what is before it counts as its beginning.
 */
export const moments = (now: EpochMs): Scale => ({
  expected,
  read: (text) =>
    readAge(text, now) ??
    readDate(text) ?? {
      problem: text === '' ? 'a date or an age is missing' : `${text} is no date and no age`,
      expected,
      meant: meantBy(text),
    },
});

function readAge(text: string, now: EpochMs): Point | undefined {
  const [, number = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([a-z])$/.exec(text) ?? [];
  if (!isUnit(unit)) return undefined;
  const at = Math.max(0, now - Math.round(Number(number) * unitsMs[unit]));
  return { from: at, to: at, isAge: true };
}

const dateShape = /^(\d{4})-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?([Zz]|[+-]\d\d:\d\d)?)?)?$/;

function readDate(text: string): Point | Slip | undefined {
  const parts = dateShape.exec(text);
  if (!parts) return undefined;
  const [, year = '', month = '', day, hour, minute = '00', second, fraction, offset = 'Z'] = parts;
  const clock = `${hour ?? '00'}:${minute}:${second ?? '00'}`;
  const shape = `${year}-${month}-${day ?? '01'}T${clock}`;
  const local = Date.parse(`${shape}.${(fraction ?? '').padEnd(3, '0')}Z`);
  const awayMs = offsetMs(offset);
  // The parser of dates takes 30 February, and midnight as 24:00: what it gives must be what was written.
  if (Number.isNaN(local) || awayMs === undefined || !new Date(local).toISOString().startsWith(shape))
    return { problem: `${text} is not in the calendar`, expected };
  const lengthMs =
    day === undefined
      ? monthMs(local)
      : hour === undefined
        ? dayMs
        : second === undefined
          ? minuteMs
          : fraction === undefined
            ? secondMs
            : 1;
  const from = Math.max(0, local - awayMs);
  return { from, to: Math.max(from, local - awayMs + lengthMs - 1) };
}

function offsetMs(text: string): number | undefined {
  if (/^z$/i.test(text)) return 0;
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(4))];
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * hourMs + minutes * minuteMs);
}

function monthMs(first: number): number {
  const date = new Date(first);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - first;
}

/** What people write for a unit, by what it is here, with how many of these it is. */
const otherUnits: readonly (readonly [words: RegExp, unit: string, times: number])[] = [
  [/^(s|secs?|seconds?)$/i, 's', 1],
  [/^(m|mins?|minutes?)$/i, 'm', 1],
  [/^(h|hrs?|hours?)$/i, 'h', 1],
  [/^(|d|days?)$/i, 'd', 1],
  [/^(w|wks?|weeks?)$/i, 'w', 1],
  [/^(mo|months?)$/i, 'd', 30],
  [/^(y|yrs?|years?)$/i, 'd', 365],
];

function meantBy(text: string): string | undefined {
  if (/^(19[7-9]|2\d\d)\d$/.test(text)) return `${text}-01..${text}-12`;
  const [, year = '', month = '', day = ''] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text) ?? [];
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (year !== '') return 'from' in (readDate(date) ?? {}) ? date : undefined;
  const [, number, word = ''] = /^(\d{1,6})([A-Za-z]{0,8})$/.exec(text) ?? [];
  const unit = otherUnits.find(([words]) => words.test(word));
  return number !== undefined && unit ? `${Number(number) * unit[2]}${unit[1]}` : undefined;
}

/** A moment as a date to the millisecond, which is read as this moment alone. */
export const momentText = (at: number): string => new Date(at).toISOString();
