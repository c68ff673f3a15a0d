import type { Command } from 'commander';
import { Fqdn } from '../../../../lib/core/ids.ts';
import { as } from '../../arguments.ts';
import type { Cli } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { textOf } from '../../reading.ts';
import { hostsIn } from './hosts-file.ts';

/** A file that names hosts, and of a genders file the attribute that they have. */
export type HostsFile = { readonly hostsFrom?: string; readonly attribute?: string };

/** A host by its name. */
export const aHost = as(Fqdn, 'the name of a host');
/** One more host for an argument that may be given several times. */
export const moreHosts = (text: string, before: readonly Fqdn[] = []): Fqdn[] => [...before, aHost(text)];

/** Adds --hosts-from and --attribute. */
export const withHostsFile = (command: Command): Command =>
  command
    .option(
      '--hosts-from <file>',
      'read the hosts from a file: one name a line, or a genders file with --attribute; - reads standard input',
    )
    .option('--attribute <name>', 'with a genders file: the hosts that have this attribute, such as tracking_station');

/**
 * The hosts that are named, each once, by the arguments or by the file; none where neither is given. Throws a
 * {@link Failure} for both, and for a file that cannot be read.
 */
export async function hostsGiven(cli: Cli, args: readonly Fqdn[], { hostsFrom, attribute }: HostsFile): Promise<readonly Fqdn[]> {
  if (attribute !== undefined && hostsFrom === undefined) throw new Failure(exitCodes.usage, '--attribute needs --hosts-from');
  if (hostsFrom === undefined) return [...new Set(args)];
  if (args.length > 0) throw new Failure(exitCodes.usage, 'give either hosts or --hosts-from');
  const read = hostsIn(await textOf(cli, hostsFrom), attribute);
  for (const { line, says } of read.defects) cli.say(`${hostsFrom}:${line}: ${says}`);
  if (read.defects.length > 0) throw new Failure(exitCodes.failed, `${hostsFrom} cannot be read: nothing is done`);
  if (read.hosts.length === 0) throw new Failure(exitCodes.failed, `${hostsFrom} names no host`);
  return read.hosts;
}
