import type { Command, Option } from 'commander';

/** What may stand somewhere on the command line: the path of a command, its subcommands, and its options. */
export type Place = {
  readonly path: string;
  readonly does: string;
  readonly commands: readonly Named[];
  readonly options: readonly Flag[];
  readonly choices: readonly string[];
};
/** A word and what it does. */
export type Named = { readonly name: string; readonly does: string };
/** An option: whether a value follows it, and which values there are if they are few. */
export type Flag = Named & { readonly takesValue: boolean; readonly choices: readonly string[] };

/** Every place of a command tree, the root first with an empty path; read from the commands themselves, so that a script can never lag behind. */
export function placesOf(root: Command): Place[] {
  const help = root.createHelp();
  const walk = (command: Command, path: readonly string[]): Place[] => {
    const commands = help.visibleCommands(command).filter((sub) => sub.name() !== 'help');
    const here: Place = {
      path: path.join(' '),
      does: command.description(),
      commands: commands.map((sub) => ({ name: sub.name(), does: firstSentence(sub.description()) })),
      options: [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].flatMap(flagsOf),
      choices: command.registeredArguments[0]?.argChoices ?? [],
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

const flagsOf = ({ long, description, required, optional, argChoices }: Option): Flag[] =>
  long ? [{ name: long, does: firstSentence(description), takesValue: required || optional, choices: argChoices ?? [] }] : [];

/** The names this program is installed under; one script completes them all. */
export const programNames = ['muster', 'halonctl', 'hctl'] as const;

const firstSentence = (text: string): string => text.split(/[.;](?: |$)/)[0]!;
