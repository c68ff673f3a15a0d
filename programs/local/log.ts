import { printable, printableValue } from '../../lib/core/printable.ts';
import { type Log, logCodes } from '../../lib/runtime/log.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof levels)[number];

/** The stream for lines: standard error, or one that a test reads. */
export type LogStream = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

/** Logs one line a call, from a level on: for people on a terminal, as JSON for programs elsewhere. */
export function logTo(stream: LogStream, least: Level, now: () => number): Log {
  const lineOf = stream.isTTY ? readableLine : asJson;
  return (level, code, fields) => {
    if (levels.indexOf(level) >= levels.indexOf(least)) stream.write(`${lineOf(new Date(now()), level, code, fields)}\n`);
  };
}

type LineOf = (at: Date, ...entry: Parameters<Log>) => string;

const asJson: LineOf = (at, level, code, fields) => JSON.stringify({ at: at.toISOString(), level, code, ...fields }, printableValue);

/**
 * A line for people: the time of day in UTC, the level, the meaning of the code, and then the code and its fields for a
 * closer look.
 */
const readableLine: LineOf = (at, level, code, fields) => {
  const given = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${wordOf(value)}`]));
  return `${at.toISOString().slice(11, 19)}Z ${level.padEnd(5)} ${logCodes[code]} (${[code, ...given].join(' ')})`;
};

/** A value as one word: quoted where a reader could not see where it ends. */
const wordOf = (value: string | number | boolean): string => {
  const text = printable(String(value));
  return /^[^\s"=()]+$/.test(text) ? text : JSON.stringify(text);
};
