import { type Command, Option } from 'commander';
import { checked } from '../../../lib/machine/command-line.ts';
import { type BuiltIn, PowerProgram } from '../built-in.ts';

/** What the command line says about orders on site. */
export type SiteGiven = {
  /** The file of passwords by their names. */
  readonly secrets?: string;
  /** What power-cycles a host, in words; empty or absent: this host carries out no such order. */
  readonly powerCommand?: readonly string[];
};

/** How this host carries out orders on site, once it is the station that coordinates. */
export function withSiteOptions(program: Command, { powerCommand }: BuiltIn): Command {
  const option = new Option(
    '--power-command <command>',
    `power-cycles a host for an order on site: words that no shell reads, with {host}, {bmc}, {user} and {passwordFile}; or none (default: ${powerCommand?.join(' ') || 'none'})`,
  )
    .env('MUSTER_POWER_COMMAND')
    .argParser(checked(PowerProgram));
  // Only a default that is there: an absent one would show as `undefined`.
  return program
    .option(
      '--secrets <file>',
      'passwords by their names, as JSON that its owner alone may read: for orders on site, which carry the names alone',
    )
    .addOption(powerCommand ? option.default(powerCommand, powerCommand.join(' ') || 'none') : option);
}
