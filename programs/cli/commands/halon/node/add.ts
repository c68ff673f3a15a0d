import { contract } from '../../../../../lib/contract.ts';
import type { Fqdn } from '../../../../../lib/core/ids.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { dated } from '../../../output/moments.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../../mero/zone.ts';
import { type HostsFile, hostsGiven, moreHosts, withHostsFile } from '../hosts-given.ts';
import { type StartOptions, showPlanned, waitDefaultMs, withStart } from '../start-options.ts';
import { reinstalledOf, type Starting, showOutcomes, standingsOf, startHosts } from '../starting.ts';

type Given = ZoneChoice & HostsFile & StartOptions;

/** `halon node add`: hosts join a storage zone, or those that were removed come back. */
export const add: Verb = (noun, cli) => {
  const command = withStart(withHostsFile(inStorageZone(noun.command('add'))))
    .argument('[host...]', 'the names of the hosts', moreHosts)
    .description(
      'Have hosts join a storage zone, and wait until they have called in. A host that was removed, or waits in the pool, is let in with its present key. With --ssh, the agents of the others are started, each with a token of its own. Hosts that have joined are left alone. For a single unknown host without --ssh, the command prints a token alone; the agent can join with it within an hour',
    )
    .action(async (args: readonly Fqdn[] | undefined, given: Given) => run(cli, args ?? [], given));
  examples(
    command,
    cli.terminal.name,
    ['halon node add ssu4.acme.org > token'],
    ['muster-agent --token-file token --kind storage', 'on that host'],
    ['halon node add --hosts-from /etc/hosts.storage --ssh', 'start the agents of all of them'],
    ['halon node add --hosts-from /etc/genders --attribute ssu -n', 'print what would be done'],
  );
};

async function run(
  cli: Cli,
  args: readonly Fqdn[],
  { zone: choice, ssh: template, wait, anyWatch, dryRun, ...file }: Given,
): Promise<void> {
  const hosts = await hostsGiven(cli, args, file);
  if (hosts.length === 0)
    throw new Failure(exitCodes.usage, 'no hosts are given', 'Give their names, or a file of them: --hosts-from FILE');
  const zone = await storageZone(cli, { ...(choice !== undefined && { zone: choice }) });
  const starting: Starting = { zone, kind: 'storage', hosts, template, waitMs: wait ?? waitDefaultMs, anyWatch: anyWatch === true };
  if (dryRun) return showPlanned(cli, zone, starting);
  const isAlone = args.length === 1 && !template && wait === undefined;
  if (isAlone && (await isUnknown(cli, hosts[0]!, starting))) return withToken(cli, hosts[0]!, starting);
  const failure = showOutcomes(cli, zone, await startHosts(cli, starting));
  if (failure) throw failure;
}

/** Whether a host is no node of the zone and waits nowhere, so that its agent needs a token. */
async function isUnknown(cli: Cli, host: Fqdn, { zone, anyWatch }: Starting): Promise<boolean> {
  if ((await standingsOf(cli, zone, [host])).get(host) !== 'away') return false;
  if ((await reinstalledOf(cli, zone, [host])).size > 0) return false;
  const { results } = (
    await cli.call(contract.admitHosts, { body: { hosts: [host], zone, kind: 'storage', ...(anyWatch && { anyWatch }) } })
  ).body;
  return !results[0]!.done && !results[0]!.busy && !results[0]!.needs;
}

/** The secret stands alone, so that `$(…)` and `>` take it as it is. */
async function withToken(cli: Cli, host: Fqdn, { zone, anyWatch }: Starting): Promise<void> {
  const { body } = await cli.call(contract.createNodeToken, {
    body: { nodes: host, zone, kind: 'storage', ...(anyWatch && { anyWatch }) },
  });
  cli.show(body, () => `${body.secret}\n`);
  cli.say(`token ${body.token.id} lets ${host} join zone ${zone} until ${dated(body.token.expiresAt, cli.terminal.now())}`);
}
