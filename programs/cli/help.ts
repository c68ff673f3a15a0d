import type { Command } from 'commander';

/** Puts examples under a verb's help: each a command line without the program's name, and what it does. */
export function examples(command: Command, name: string, ...lines: readonly (readonly [line: string, does?: string])[]): Command {
  const width = Math.max(...lines.map(([line]) => line.length));
  const rendered = lines.map(([line, does]) => `  ${name} ${does ? `${line.padEnd(width)}  # ${does}` : line}`);
  return command.addHelpText('after', `\nExamples:\n${rendered.join('\n')}`);
}
