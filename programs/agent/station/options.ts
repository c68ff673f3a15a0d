import { type Command, Option } from 'commander';
import { checked } from '../../../lib/machine/command-line.ts';
import { type BuiltIn, PowerProgram } from '../built-in.ts';

/** The options of the command line about orders on site. */
export type SiteGiven = {
  /** The file of passwords by their names. */
  readonly secrets?: string;
  /** The command that power-cycles a host, in words; empty or absent: this host carries out no such order. */
  readonly powerCommand?: readonly string[];
};

/** Adds options about how this host carries out orders on site, while it is the coordinator. */
export function withSiteOptions(program: Command, { powerCommand }: BuiltIn): Command {
  const option = new Option(
    '--power-command <command>',
    `command that power-cycles a host for an order on site, run without a shell, with {host}, {bmc}, {user} and {passwordFile}; or none (default: ${powerCommand?.join(' ') || 'none'})`,
  )
    .env('MUSTER_POWER_COMMAND')
    .argParser(checked(PowerProgram));
  // Sets only a default that exists: an absent one would display as `undefined`.
  return program
    .option(
      '--secrets <file>',
      'JSON file of passwords by name, which only its owner may read: for orders on site, which contain only the names',
    )
    .addOption(powerCommand ? option.default(powerCommand, powerCommand.join(' ') || 'none') : option);
}
