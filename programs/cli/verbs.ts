import type { Command } from 'commander';

/** Former names of verbs: they still work, and help does not show them. */
const former = new WeakMap<Command, ReadonlySet<string>>();

/** Adds a verb with its former names, which still work and which help does not show. */
export function renamed(noun: Command, name: string, ...before: readonly string[]): Command {
  const command = noun.command(name);
  for (const one of before) command.alias(one);
  former.set(command, new Set(before));
  return command;
}

/** The name of a command as help shows it: with its name in the original, and without its former names. */
export function helpName(command: Command): string {
  const alias = command.aliases().find((one) => !former.get(command)?.has(one));
  return alias === undefined ? command.name() : `${command.name()}|${alias}`;
}

/** The line of a subcommand in the help of its noun. */
export const helpTerm = (command: Command): string =>
  [
    helpName(command),
    ...(command.options.length > 0 ? ['[options]'] : []),
    ...command.registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
      return argument.required ? `<${name}>` : `[${name}]`;
    }),
  ].join(' ');

/** How a command is called, with the nouns that it belongs to. */
export function helpUsage(command: Command): string {
  const above: string[] = [];
  for (let parent = command.parent; parent; parent = parent.parent) above.unshift(parent.name());
  return [...above, helpName(command), command.usage()].join(' ');
}
