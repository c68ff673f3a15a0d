import type { Command } from 'commander';
import { Option } from 'commander';
import { exitCodes, Failure } from '../exit-codes.ts';

/** The formats in which a reading command can show its result. */
export const formats = ['wide', 'json', 'yaml', 'name'] as const;
export type Format = (typeof formats)[number];

/** Verbs that only read: they can be shown in other formats, and be watched. */
const reading = new Set([
  'list',
  'find',
  'show',
  'status',
  'pool',
  'get',
  'explain',
  'history',
  'whoami',
  'deliveries',
  'path',
  'configuration',
]);

/** The further options of a reading verb. */
export type ReadingOptions = { readonly output?: unknown; readonly watch?: unknown; readonly wide?: unknown };

/** Adds `-o` and `--watch` to every verb below that only reads; one whose `-o` names a file keeps that. */
export function withFormats(command: Command): void {
  for (const one of command.commands) withFormats(one);
  if (command.commands.length > 0 || !reading.has(command.name())) return;
  if (!command.options.some(({ short, long }) => short === '-o' || long === '--output'))
    command.addOption(new Option('-o, --output <format>', 'wide, json, yaml, or name for one name a line').choices(formats));
  command.addOption(
    new Option('--watch [seconds]', 'refresh the output every 2 seconds, or every given number of seconds').argParser(seconds),
  );
}

const seconds = (text: string): number => {
  const read = Number(text);
  if (!(read >= 0.5 && read <= 3_600)) throw new Failure(exitCodes.usage, `--watch ${text}: give a number of seconds from 0.5 to 3600`);
  return read;
};

/**
 * The format that a verb is asked for, if any; `wide` sets its own --wide. Throws a {@link Failure} where it has none.
 */
export function formatOf(command: Command): Format | undefined {
  const { output } = command.opts<ReadingOptions>();
  const format = formats.find((one) => one === output);
  if (format !== 'wide') return format;
  if (!command.options.some(({ long }) => long === '--wide'))
    throw new Failure(exitCodes.usage, `${command.name()} has no further columns`, 'Leave out -o wide, or give -o json');
  command.setOptionValue('wide', true);
  return format;
}

/** How often to show it again, in ms; undefined for once. */
export function watchMsOf(command: Command): number | undefined {
  const { watch } = command.opts<ReadingOptions>();
  return watch === undefined ? undefined : (watch === true ? 2 : Number(watch)) * 1000;
}

/** The name of a thing, by the first of these fields that it has. */
export function nameOf(value: unknown): string {
  const { fqdn, name, fp, id, host, zone } = Object(value) as Readonly<Record<string, unknown>>;
  return String([fqdn, name, fp, id, host, zone].find((one) => typeof one === 'string') ?? '');
}
