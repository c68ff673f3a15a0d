import type { Command } from 'commander';
import * as z from 'zod';
import { checked } from '../../../../lib/machine/command-line.ts';
import { isPrivate } from '../../../../lib/machine/endpoint.ts';
import { ClusterUi, PlainPath } from './settings.ts';

/** How Apache is controlled. */
export type ApacheGiven = { readonly home: string; readonly apachectl?: string; readonly reload?: string };
/** The options of installing cluster mode; those of removing it are among them. */
export type InstallGiven = ApacheGiven & {
  readonly confDir: string;
  readonly state: string;
  readonly port: number;
  readonly server: string;
  readonly clusterUi?: string;
  readonly modules?: string;
  readonly lockContent?: true;
  readonly endpoint?: string;
  readonly insecure?: true;
};
/** The options of opening and locking common content: who edits, and where. */
export type LockGiven = { readonly home: string; readonly who?: string; readonly node?: string };

/** The functions behind the commands of cluster mode. */
export type DoesClusterMode = {
  clusterModeInstall(given: InstallGiven): Promise<void>;
  clusterModeCheck(given: ApacheGiven & { readonly json?: true }): Promise<void>;
  clusterModeRemove(given: InstallGiven): Promise<void>;
  clusterModeLock(given: LockGiven, isOpen: boolean): Promise<void>;
};

const examples = `
Examples:
  $ muster-agent --endpoint https://muster.acme.test uyuni cluster-mode install
      Send the login page of this server to the Cluster UI, and show on each page that it is part of a cluster.
  $ muster-agent uyuni cluster-mode install --lock-content
      Also lock common content on this server, for pages and programs.
  $ muster-agent uyuni cluster-mode unlock
      Open common content for editing here, whatever Muster says.
  $ muster-agent uyuni cluster-mode remove
      Take all of it away: the server is then what it was before.`;

/** Adds the commands by which a server shows that it is part of a cluster. */
export function withClusterMode(uyuni: Command, does: DoesClusterMode): void {
  const mode = uyuni
    .command('cluster-mode')
    .description('the web pages of the Uyuni server on this host: part of a cluster, by one file of Apache')
    .addHelpText('after', examples);
  const add = (name: string, description: string): Command => mode.command(name).description(description);
  const withApache = (command: Command): Command =>
    command
      .option('--apachectl <command>', 'the command that checks and reloads Apache (default: that of this host)')
      .option('--reload <command>', 'the command that reloads Apache (default: apachectl graceful)');
  const withPlaces = (command: Command): Command =>
    withApache(command)
      .option('--conf-dir <dir>', 'the folder of Apache’s configuration', checked(PlainPath), '/etc/apache2/conf.d')
      .option('--state <dir>', 'the folder that Apache looks into at each request', checked(PlainPath), '/run/muster-cluster-mode');
  withPlaces(add('install', 'write the file of Apache, check it, and have Apache take it up; puts everything back if that fails'))
    .option('--cluster-ui <url>', 'where people sign in (default: the page of Muster, at its address)', checked(ClusterUi))
    .option('--lock-content', 'lock common content on this server, unless it is edited here')
    .option('--port <n>', 'the port of 127.0.0.1 on which the agent listens for Apache', checked(port), 4580)
    .option('--server <url>', 'where Apache takes calls that the agent has let through', checked(server), 'https://127.0.0.1')
    .option('--modules <dir>', 'the folder with the modules of Apache (default: that of this host)', checked(PlainPath))
    .action((_own, command: Command) => does.clusterModeInstall(command.optsWithGlobals<InstallGiven>()));
  withApache(add('check', 'check what is missing or different, and how this server stands; changes nothing'))
    .option('--json', 'as JSON')
    .action((_own, command: Command) => does.clusterModeCheck(command.optsWithGlobals<ApacheGiven & { readonly json?: true }>()));
  withPlaces(add('remove', 'remove cluster mode without a trace')).action((_own, command: Command) =>
    does.clusterModeRemove(command.optsWithGlobals<InstallGiven>()),
  );
  for (const [name, isOpen] of [
    ['unlock', true],
    ['lock', false],
  ] as const)
    add(name, isOpen ? 'open common content for editing on this server' : 'lock common content on this server')
      .option('--who <name>', 'who edits, for pages that are locked')
      .option('--node <name>', 'the server where common content is edited, for pages that are locked')
      .action((_own, command: Command) => does.clusterModeLock(command.optsWithGlobals<LockGiven>(), isOpen));
}

const port = z.coerce.number('a number').int('a whole number').min(1, '1 or more').max(65_535, '65535 or less');
const server = z
  .url({ protocol: /^https?$/, error: 'an address such as https://127.0.0.1' })
  // What is sent there opens the lock.
  .refine(isPrivate, { error: 'an address of this machine, or of https' });
