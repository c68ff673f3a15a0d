import type { Command } from 'commander';
import { type DoesClusterMode, withClusterMode } from './cluster-mode/options.ts';
import { type DoesContent, withContent } from './content/options.ts';
import { rhnConfDefault } from './rhn-conf.ts';

/** The options of the commands about a Uyuni server on this host. */
export type UyuniGiven = { readonly rhnConf: string; readonly json?: true };

/** The functions behind the commands about a Uyuni server. */
export type DoesUyuni = DoesClusterMode &
  DoesContent & {
    uyuniInstall(given: UyuniGiven): Promise<void>;
    uyuniCheck(given: UyuniGiven): Promise<void>;
    uyuniRemove(given: UyuniGiven): Promise<void>;
  };

const examples = `
Examples:
  $ muster-agent uyuni check
      Print what the database of this server has and lacks for the outbox: exit code 0 if nothing is missing, 1 if something is.
  $ muster-agent uyuni install
      Install the outbox: the schema muster, and triggers that write into it. It changes no table of the server.
  $ muster-agent uyuni remove
      Remove the schema and the triggers; the database is then what it was before.`;

/** Adds the commands by which an operator prepares a Uyuni server for its agent. */
export function withUyuniCommands(program: Command, does: DoesUyuni): Command {
  const uyuni = program
    .command('uyuni')
    .description('the Uyuni server on this host: what the agent needs in its database, its web pages, and its common content')
    .addHelpText('after', examples);
  const add = (name: string, description: string): Command =>
    uyuni
      .command(name)
      .description(description)
      .option('--rhn-conf <file>', 'the configuration of the server, which says where its database is', rhnConfDefault);
  add('install', 'install the outbox, from which the agent reads what changes on the server').action((given: UyuniGiven) =>
    does.uyuniInstall(given),
  );
  add('check', 'check what the outbox needs and whether it is whole; changes nothing')
    .option('--json', 'as JSON')
    .action((_own, command: Command) => does.uyuniCheck(command.optsWithGlobals<UyuniGiven>()));
  add('remove', 'remove the outbox without a trace').action((given: UyuniGiven) => does.uyuniRemove(given));
  withClusterMode(uyuni, does);
  withContent(uyuni, does);
  return program;
}
