import type { Command, Option } from 'commander';
import { listOf } from './names.ts';

/** A place on the command line: the path of a command, and the subcommands and options that may follow. */
export type Place = {
  readonly path: string;
  readonly does: string;
  readonly commands: readonly Named[];
  readonly options: readonly Flag[];
  readonly choices: readonly string[];
  /** Whether a file is named there. */
  readonly takesFile: boolean;
  /** The command that lists what its first argument may name, if there is one. */
  readonly list: string | undefined;
};
/** A word and what it does. */
export type Named = { readonly name: string; readonly does: string };
/**
 * An option, by its short name too where it has one: whether a value follows it, whether that is a file, which values
 * there are if they are few, and the command that lists what it may name.
 */
export type Flag = Named & {
  readonly short: string | undefined;
  readonly takesValue: boolean;
  readonly takesFile: boolean;
  readonly choices: readonly string[];
  readonly list: string | undefined;
};

/**
 * Every place of a command tree, the root first with an empty path; read from the commands themselves, so that a script
 * can never lag behind.
 */
export function placesOf(root: Command): Place[] {
  const help = root.createHelp();
  const walk = (command: Command, path: readonly string[]): Place[] => {
    const commands = help.visibleCommands(command).filter((sub) => sub.name() !== 'help');
    const here: Place = {
      path: path.join(' '),
      does: command.description(),
      commands: commands.map((sub) => ({ name: sub.name(), does: firstSentence(sub.description()) })),
      options: [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].flatMap((option) =>
        flagsOf(option, path.join(' ')),
      ),
      choices: command.registeredArguments[0]?.argChoices ?? [],
      takesFile: isFile(command.registeredArguments[0]?.name()),
      list: listOf(path.join(' '), command.registeredArguments[0]?.name() ?? ''),
    };
    return [here, ...commands.flatMap((sub) => walk(sub, [...path, sub.name()]))];
  };
  help.showGlobalOptions = true;
  return walk(root, []);
}

/** The names of all options, over all places, that are followed by a value. */
export const withValues = (places: readonly Place[]): string[] => [
  ...new Set(places.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue).map(({ name }) => name))),
];

/** The options of a place that are followed by a file, as they are written: `--file`, `-f`. */
export const withFiles = ({ options }: Place): string[] =>
  options.flatMap(({ name, short, takesFile }) => (takesFile ? [name, ...(short === undefined ? [] : [short])] : []));

/**
 * The words that a name of a list follows: options, and the choices of a first argument, such as the `node` of
 * `explain node`.
 */
export const withLists = ({ path, options, choices }: Place): { readonly after: string; readonly list: string }[] =>
  [
    ...options.flatMap(({ name, short, list }) => [name, ...(short === undefined ? [] : [short])].map((after) => ({ after, list }))),
    ...choices.map((after) => ({ after, list: listOf(path, after) })),
  ].flatMap(({ after, list }) => (list === undefined ? [] : [{ after, list }]));

const flagsOf = ({ flags, short, long, description, required, optional, argChoices }: Option, path: string): Flag[] => {
  if (!long) return [];
  const choices = argChoices ?? [];
  const takesFile = isFile(/<([\w-]+)>/.exec(flags)?.[1]);
  const takesValue = required || optional;
  return [{ name: long, short, does: firstSentence(description), takesValue, takesFile, choices, list: listOf(path, long) }];
};

/** Whether help calls a value a file or a folder. */
const isFile = (called: string | undefined): boolean => called !== undefined && ['file', 'dir', 'folder'].includes(called);

/** The names this program is installed under; one script completes them all. */
export const programNames = ['muster', 'halonctl', 'hctl'] as const;

const firstSentence = (text: string): string => text.split(/[.;](?: |$)/)[0]!;
