import { type Command, CommanderError, Option } from 'commander';
import { Unusable } from '../../lib/machine/command-line.ts';
import { readGivenFile } from '../../lib/machine/own.ts';
import type { BuiltIn } from './built-in.ts';

/** The command that looks for what is missing. */
export const doctor = 'doctor';

/** One line of a configuration file: what the command line calls `--name value`. */
export type Setting = { readonly name: string; readonly value: string; readonly line: number };

/**
 * Names that stand on the command line alone: where the file itself is, what only prints, and a secret, since such
 * files are readable by everybody.
 */
const elsewhere = new Map([
  ['config', 'it names a configuration file, and this is one'],
  ['version', 'it is asked on the command line'],
  ['token', 'others may read this file: name a file with token-file'],
]);
/** Names that may stand in several lines. */
const repeatable = new Set(['run', 'service-user']);
/** Two ways to say one thing. */
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
      throw new Unusable(`${path}:${at + 1} is no line such as: endpoint = https://muster.acme.test`);
    const before = settings.find((one) => one.name === name);
    if (before && !repeatable.has(name)) throw new Unusable(`${path}:${at + 1} says ${name} again, after line ${before.line}`);
    settings.push({ name, value, line: at + 1 });
  }
  return settings;
}

/**
 * Has a program read a configuration file before whatever it is asked to do. What the command line or the environment
 * says wins over the file, and the file over what is built in.
 */
export function withConfigurationFile(program: Command, builtIn: BuiltIn): Command {
  const where = builtIn.config === undefined ? 'none' : `${builtIn.config}, where there is one`;
  return program
    .addOption(
      new Option('--config <file>', `says what these options say, as lines such as kind = storage (default: ${where})`).env(
        'MUSTER_AGENT_CONFIG',
      ),
    )
    .hook('preAction', (_program, asked) => {
      // A doctor says what is wrong with the file, and goes on.
      if (asked.name() !== doctor) configure(program, builtIn);
    });
}

/**
 * The configuration file that this program reads; undefined where it reads none. Throws what the file system throws,
 * but for the built-in one that is not there.
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
 * Has a program take what its configuration file says, where nothing nearer says it. Throws {@link Unusable} and what
 * the file system throws.
 */
export function configure(program: Command, builtIn: BuiltIn): void {
  const file = configurationOf(program, builtIn);
  if (!file) return;
  const settings = readSettings(file.text, file.path);
  refuseBoth(settings, file.path);
  for (const setting of settings) {
    const option = optionOf(program, setting, file.path);
    if (isSaid(program, setting.name) || isSaid(program, sameThing.get(setting.name))) continue;
    const name = option.attributeName();
    const before = program.getOptionValueSource(name) === 'config' ? program.getOptionValue(name) : undefined;
    program.setOptionValueWithSource(name, readBy(option, setting, before, file.path), 'config');
  }
}

/** Whether somebody has said it by a flag or in the environment, which is nearer than a file. */
function isSaid(program: Command, name: string | undefined): boolean {
  const option = program.options.find(({ long }) => name !== undefined && long === `--${name}`);
  return option !== undefined && ['cli', 'env'].includes(program.getOptionValueSource(option.attributeName()) ?? '');
}

function optionOf(program: Command, { name, line }: Setting, path: string): Option {
  const option = program.options.find(({ long }) => long === `--${name}`);
  const fault = option ? elsewhere.get(name) : 'the agent has no such option; muster-agent --help lists them';
  if (!option || fault !== undefined) throw new Unusable(`${path}:${line} says ${name}: ${fault}`);
  return option;
}

/** Of two ways to say one thing a file uses one. */
function refuseBoth(settings: readonly Setting[], path: string): void {
  for (const { name, line } of settings) {
    const other = settings.find((one) => one.name === sameThing.get(name));
    if (other) throw new Unusable(`${path}:${line} says ${name}, and line ${other.line} ${other.name}: only one may be said`);
  }
}

function readBy(option: Option, { name, value, line }: Setting, before: unknown, path: string): unknown {
  try {
    if (option.isBoolean()) return asked(value);
    return option.parseArg ? option.parseArg(value, before as never) : value;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // The value itself may hold a password.
    throw new Unusable(`${path}:${line} says ${name}, which is not as it should be: ${error.message}`);
  }
}

/** A flag without a value is there or not; one that is not wanted counts as not said. */
function asked(value: string): true | undefined {
  const wanted = yesNo.get(value);
  if (wanted === undefined) throw new CommanderError(1, 'muster.yesNo', 'yes or no');
  return wanted || undefined;
}
