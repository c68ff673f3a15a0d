import * as z from 'zod';
import { clamp, EpochMs, minuteMs } from '../../core/time.ts';

/** How many minutes are recorded at most. */
export const loadsMax = 60;

/**
 * How busy a node was in the last minutes in which it was heard: a sign for each minute, the last for that of `at`, and
 * a blank for a minute without a heartbeat. It is a text because tables store one as it is, and a sign of a text is a
 * byte.
 */
export const Loads = z.strictObject({ at: EpochMs, points: z.string().min(1).max(loadsMax) });
export type Loads = z.infer<typeof Loads>;

/** The load average over a minute that a heartbeat reported, and the moment at which the heartbeat was received. */
export type LoadPoint = { readonly at: EpochMs; readonly load: number };

/** The highest level: printable signs from `!` to `{`. */
const levelMax = 90;
const firstSign = '!'.charCodeAt(0);
/** Levels of a doubling: a level is 8 % more than the one before, and the highest is a load of 102. */
const levelsEach = 9;
const unit = 10;

const signOf = (load: number): string =>
  String.fromCharCode(firstSign + clamp(Math.round(levelsEach * Math.log2(1 + unit * load)), 0, levelMax));
const loadOf = (sign: string): number => Math.round((100 * (2 ** ((sign.charCodeAt(0) - firstSign) / levelsEach) - 1)) / unit) / 100;

const minuteOf = (at: EpochMs): number => Math.floor(at / minuteMs);

/**
 * The loads with one more point: in the same minute the later point counts. `room`: how many bytes they may take in
 * their row, which is asked for once a minute; the oldest minutes are left out for it, and undefined is no room at all.
 */
export function withPoint(loads: Loads | undefined, { at, load }: LoadPoint, room: () => number): Loads | undefined {
  const gap = loads ? minuteOf(at) - minuteOf(loads.at) : loadsMax;
  if (loads && (gap < 0 || at < loads.at)) return loads;
  const before = loads && gap < loadsMax ? loads.points : '';
  if (gap === 0) return { at, points: before.slice(0, -1) + signOf(load) };
  const many = clamp(room() - namesBytes, 0, loadsMax);
  const points = before + ' '.repeat(before === '' ? 0 : gap - 1) + signOf(load);
  return many === 0 ? undefined : { at, points: points.slice(-many).trimStart() };
}

/** Bytes of the names, of the moment, and of the map, as DynamoDB counts them. */
const namesBytes = 32;

/** The recorded points, the oldest first: about the load, within 4 %, and the minute that it was of. */
export function pointsOf({ at, points }: Loads): LoadPoint[] {
  const last = minuteOf(at) - points.length + 1;
  return [...points].flatMap((sign, n) => (sign === ' ' ? [] : [{ at: EpochMs.parse((last + n) * minuteMs), load: loadOf(sign) }]));
}

/** The bytes of an item that cost one unit of writing. */
const rowBytesMax = 1_024;
/** The bytes of a node's row beside its body, the reason and its zone: keys, moments, and the id of the last cause. */
const besideBytes = 170;

/**
 * How many bytes are left in the row of a node before a heartbeat costs one more unit: at most, because numbers are
 * counted longer than they may be.
 */
export const roomBeside = (body: Readonly<Record<string, unknown>>, because: string, zone: string): number =>
  rowBytesMax - besideBytes - because.length - zone.length - bytesIn(body);

/** The bytes of a value as DynamoDB counts them, or some more. */
function bytesIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value === 'number') return 2 + Math.ceil(String(value).length / 2);
  if (typeof value !== 'object' || value === null) return 1;
  let bytes = 3;
  for (const [name, one] of Object.entries(value)) if (one !== undefined) bytes += 1 + name.length + bytesIn(one);
  return bytes;
}
