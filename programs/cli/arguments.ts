import { InvalidArgumentError, Option } from 'commander';
import type * as z from 'zod';
import { Fqdn, NodeId, Tag, ZoneName } from '../../lib/core/ids.ts';
import { dayMs, hourMs, minuteMs, secondMs } from '../../lib/core/time.ts';

/** A parser for an argument or option that must be as the schema says; `what` completes "It must be …". */
export const as =
  <T extends z.ZodType>(schema: T, what: string) =>
  (text: string): z.output<T> => {
    const read = schema.safeParse(text);
    if (!read.success) throw new InvalidArgumentError(`It must be ${what}.`);
    return read.data;
  };

/** A node by its id or fully qualified name. */
export const node = as(NodeId.or(Fqdn), 'the id of a node (n and 16 hex digits) or its name');
/** A zone by its name. */
export const zone = as(ZoneName, 'the name of a zone: 1 to 40 lower-case letters, digits or hyphens, beginning with a letter');
/** A tag or group. */
export const tag = as(Tag, '1 to 64 letters, digits or ._:/-, beginning with a letter or digit');
/** One more tag or group for an option that may be given several times. */
export const tags = (text: string, before: readonly string[] = []): string[] => [...before, tag(text)];
/** `--zone NAME`. */
export const zoneOption = (does: string): Option => new Option('--zone <name>', does).argParser(zone);

/** A moment in ISO 8601, with a zone or in UTC, as the API takes it. */
export function moment(text: string): string {
  const at = Date.parse(/[Zz]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(at))
    throw new InvalidArgumentError('It must be a moment such as 2026-05-01T18:00:00Z.');
  return new Date(at).toISOString();
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs };

/**
 * A span such as `500ms`, `10s`, `5m` or `30d`, in ms. Microseconds, as halonctl takes them, are rounded up.
 */
export function spanMs(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([uµμ]s|ms|s|m|h|d)$/.exec(text) ?? [];
  const isMicro = /^[uµμ]s$/.test(unit ?? '');
  const ms = isMicro ? Math.ceil(Number(amount) / 1000) : Number(amount) * (unitsMs[unit ?? ''] ?? Number.NaN);
  if (!Number.isInteger(ms)) throw new InvalidArgumentError('It must be a span such as 10s, 5m, 12h or 30d.');
  return ms;
}

/** A moment, or a span from now on such as `10m`: given when it is now, that moment in ISO 8601. */
export function deadline(text: string): (now: number) => string {
  if (/^\d+(\.\d+)?[a-z]+$/.test(text)) {
    const ms = spanMs(text);
    return (now) => new Date(now + ms).toISOString();
  }
  const at = moment(text);
  return () => at;
}

/** A moment, or a span back from now such as `10m`: given when it is now, that moment in ISO 8601. */
export function ago(text: string): (now: number) => string {
  if (/^\d+(\.\d+)?[a-z]+$/.test(text)) {
    const ms = spanMs(text);
    return (now) => new Date(now - ms).toISOString();
  }
  const at = moment(text);
  return () => at;
}

/** A switch: `on` or `off`. */
export function onOrOff(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new InvalidArgumentError('It must be on or off.');
  return text === 'on';
}

/** A whole number from 0. */
export function count(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 0.');
  return Number(text);
}

/** A share in percent, 0 to 100. */
export function percent(text: string): number {
  if (!/^\d{1,3}(\.\d+)?$/.test(text) || Number(text) > 100) throw new InvalidArgumentError('It must be a percentage from 0 to 100.');
  return Number(text);
}

/** A setting that an option changes: to a value, or back to its default, which is `null`. */
export type Setting<T> = { readonly to: T | null };

/**
 * A parser for an option whose `word`, such as `usual`, takes the setting back. It gives a box, because commander takes
 * a parser's bare `null` for an option without an argument and hands on an empty text instead.
 */
export const unless =
  <T>(word: string, parse: (text: string) => T) =>
  (text: string): Setting<T> => ({ to: text === word ? null : parse(text) });
