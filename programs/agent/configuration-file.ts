import { type Command, CommanderError, Option } from 'commander';
import { Unusable } from '../../lib/machine/command-line.ts';
import { readGivenFile } from '../../lib/machine/own.ts';
import type { BuiltIn } from './built-in.ts';

/** The name of the command that checks what is missing on this host. */
export const doctor = 'doctor';

/** One line of a configuration file; on the command line it is `--name value`. */
export type Setting = { readonly name: string; readonly value: string; readonly line: number };

/**
 * Names that only the command line may have, with the reason: the file's own path, an option that only prints, and a
 * secret, because every user may read such a file.
 */
const elsewhere = new Map([
  ['config', 'a configuration file cannot name another one'],
  ['version', 'it works on the command line only'],
  ['token', 'other users may read this file: name a file with token-file'],
]);
/** Names that may occur in several lines. */
const repeatable = new Set(['run', 'service-user']);
/** Pairs of names for one setting. */
const sameThing = new Map([
  ['watch-source', 'systems-seen'],
  ['systems-seen', 'watch-source'],
]);
const yesNo = new Map([
  ['yes', true],
  ['no', false],
]);

/**
 * The settings in a text: `name = value` in each line, empty ones and those that begin with `#` aside. Throws
 * {@link Unusable} for any other line, by its number.
 */
export function readSettings(text: string, path: string): Setting[] {
  const settings: Setting[] = [];
  for (const [at, whole] of text.split(/\r?\n/).entries()) {
    const line = whole.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, name, value] = /^([a-z][a-z-]*)\s*=\s*(\S.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new Unusable(`${path}:${at + 1} is not a setting: write NAME = VALUE, such as endpoint = https://muster.acme.test`);
    const before = settings.find((one) => one.name === name);
    if (before && !repeatable.has(name)) throw new Unusable(`${path}:${at + 1} sets ${name} again: line ${before.line} sets it already`);
    settings.push({ name, value, line: at + 1 });
  }
  return settings;
}

/**
 * Makes a program read a configuration file before it runs any command. The command line and the environment win over
 * the file, and the file wins over the built-in settings.
 */
export function withConfigurationFile(program: Command, builtIn: BuiltIn): Command {
  const where = builtIn.config === undefined ? 'none' : `${builtIn.config}, if it exists`;
  return program
    .addOption(
      new Option('--config <file>', `file that sets these options, in lines such as kind = storage (default: ${where})`).env(
        'MUSTER_AGENT_CONFIG',
      ),
    )
    .hook('preAction', (_program, asked) => {
      // The doctor reports a fault of the file, and continues.
      if (asked.name() !== doctor) configure(program, builtIn);
    });
}

/**
 * The configuration file that this program reads; undefined where it reads none. Throws what the file system throws,
 * except when the built-in file does not exist.
 */
export function configurationOf(program: Command, builtIn: BuiltIn): { readonly path: string; readonly text: string } | undefined {
  const given = program.getOptionValue('config') as string | undefined;
  const path = given ?? builtIn.config;
  if (path === undefined) return undefined;
  try {
    return { path, text: readGivenFile(path) };
  } catch (error) {
    if (given === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Sets a program's options from its configuration file, except those set by a flag or in the environment. Throws
 * {@link Unusable} and what the file system throws.
 */
export function configure(program: Command, builtIn: BuiltIn): void {
  const file = configurationOf(program, builtIn);
  if (!file) return;
  const settings = readSettings(file.text, file.path);
  refuseBoth(settings, file.path);
  for (const setting of settings) {
    const option = optionOf(program, setting, file.path);
    if (isGiven(program, setting.name) || isGiven(program, sameThing.get(setting.name))) continue;
    const name = option.attributeName();
    const before = program.getOptionValueSource(name) === 'config' ? program.getOptionValue(name) : undefined;
    program.setOptionValueWithSource(name, readBy(option, setting, before, file.path), 'config');
  }
}

/** Whether an option is set by a flag or in the environment, which win over the file. */
function isGiven(program: Command, name: string | undefined): boolean {
  const option = program.options.find(({ long }) => name !== undefined && long === `--${name}`);
  return option !== undefined && ['cli', 'env'].includes(program.getOptionValueSource(option.attributeName()) ?? '');
}

function optionOf(program: Command, { name, line }: Setting, path: string): Option {
  const option = program.options.find(({ long }) => long === `--${name}`);
  const fault = option ? elsewhere.get(name) : 'the agent has no such option; muster-agent --help lists the options';
  if (!option || fault !== undefined) throw new Unusable(`${path}:${line} sets ${name}: ${fault}`);
  return option;
}

/** Refuses a file that sets both names of one setting. */
function refuseBoth(settings: readonly Setting[], path: string): void {
  for (const { name, line } of settings) {
    const other = settings.find((one) => one.name === sameThing.get(name));
    if (other) throw new Unusable(`${path}:${line} sets ${name}, and line ${other.line} ${other.name}: set only one of the two`);
  }
}

function readBy(option: Option, { name, value, line }: Setting, before: unknown, path: string): unknown {
  try {
    if (option.isBoolean()) return asked(value);
    return option.parseArg ? option.parseArg(value, before as never) : value;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // The value itself may hold a password.
    throw new Unusable(`${path}:${line} sets ${name} to a value that is not valid: ${error.message}`);
  }
}

/** The value of a flag that takes none on the command line: `yes` sets it, `no` leaves it unset. */
function asked(value: string): true | undefined {
  const wanted = yesNo.get(value);
  if (wanted === undefined) throw new CommanderError(1, 'muster.yesNo', 'yes or no');
  return wanted || undefined;
}
