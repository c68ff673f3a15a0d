import { type Command, Option } from 'commander';
import type { Fqdn, ZoneName } from '../../../../lib/core/ids.ts';
import { spanMs } from '../../arguments.ts';
import type { Cli } from '../../cli.ts';
import { printable } from '../../output/printable.ts';
import { type AnyWatch, anyWatchOption } from '../node/any-watch.ts';
import { filled, type StartTemplate, shellWords, sshDefault, startTemplate } from './start-command.ts';
import { hiddenToken, type Starting, standingsOf } from './starting.ts';

/** The options for hosts that should be started; `wait` in ms. */
export type StartOptions = AnyWatch & { readonly ssh?: StartTemplate; readonly wait?: number; readonly dryRun?: true };

/** How long hosts are waited for by default, in ms: a host in the pool asks once a minute. */
export const waitDefaultMs = 90_000;

/** Adds --ssh to a verb that starts agents on hosts. */
export const withSsh = (command: Command): Command =>
  command.addOption(
    new Option(
      '--ssh [command]',
      'start the agent on each missing host by a command. Blanks separate its words, which may contain {host}, {endpoint}, {zone}, {kind} and {token}; process lists show the token. The command gets a join token for the host on standard input. Without a command: ssh, for the package of the agent',
    )
      .preset(sshDefault)
      .argParser(startTemplate),
  );

/** Adds --ssh, --wait, --any-watch and --dry-run. */
export const withStart = (command: Command): Command =>
  withSsh(command)
    .addOption(new Option('--wait <span>', 'how long to wait for hosts (default: 90s)').argParser(spanMs))
    .addOption(anyWatchOption('each host'))
    .option('-n, --dry-run', 'only print what would be done, with the token hidden');

/** The commands that would be run for those of these hosts that are not there, as a shell takes them. */
export async function plannedCommands(
  cli: Cli,
  { zone, kind, hosts, template }: Pick<Starting, 'zone' | 'kind' | 'hosts' | 'template'>,
): Promise<{ readonly there: readonly Fqdn[]; readonly away: readonly Fqdn[]; readonly commands: readonly string[] }> {
  const standings = await standingsOf(cli, zone, hosts);
  const away = hosts.filter((host) => standings.get(host) === 'away');
  const values = { endpoint: cli.endpoint(), token: hiddenToken, zone, kind };
  return {
    there: hosts.filter((host) => standings.get(host) !== 'away'),
    away,
    commands: template ? away.map((host) => shellWords(filled(template, { host, ...values }))) : [],
  };
}

/** Shows what would be done to have hosts as nodes of a zone, and does nothing. */
export async function showPlanned(cli: Cli, zone: ZoneName, starting: Pick<Starting, 'kind' | 'hosts' | 'template'>): Promise<void> {
  const { there, away, commands } = await plannedCommands(cli, { zone, ...starting });
  const lines = [
    ...there.map((host) => `# ${host} has called in already`),
    ...(commands.length > 0
      ? commands
      : away.map((host) => `# ${host} would be let in if it waits in the pool; the command would wait for it`)),
  ];
  cli.show({ zone, there, away, commands }, () => lines.map((line) => `${printable(line)}\n`).join(''));
}
