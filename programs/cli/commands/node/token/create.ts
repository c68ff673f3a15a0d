import { Option } from 'commander';
import { contract } from '../../../../../lib/contract.ts';
import { Fqdn } from '../../../../../lib/core/ids.ts';
import type { NodeView } from '../../../../../lib/nodes/admin-routes.ts';
import { as, count, spanMs, zoneOption } from '../../../arguments.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { dated } from '../../../output/moments.ts';
import { type AnyWatch, anyWatchOption } from '../any-watch.ts';
import { kindOption } from '../kind.ts';

type Options = AnyWatch & {
  nodes?: string;
  uses?: number;
  expires?: number;
  cidr?: string;
  kind?: NodeView['kind'];
  zone?: NodeView['zone'];
};

/** `node token create`: makes a secret that lets hosts become nodes. */
export const create: Verb = (noun, cli) => {
  const command = noun
    .command('create')
    .argument('[node]', 'the name of the one host that may use the token, within an hour', as(Fqdn, 'the name of a host'))
    .description(
      'Create a join token for one host, or with --nodes for a set of hosts. Prints only the secret to standard output; it is shown once',
    )
    .option('--nodes <pattern>', 'the host names that it admits, such as ssu[1-40].acme.org; for hosts that boot from one image')
    .addOption(new Option('--uses <n>', 'with --nodes: how many hosts it admits').argParser(count))
    .addOption(new Option('--expires <span>', 'how long it is valid; default 1h for one host, 30d for a set').argParser(spanMs))
    .option('--cidr <network>', 'only from this network, such as 10.0.0.0/8')
    .addOption(kindOption('what the hosts run; uyuni if not given'))
    .addOption(zoneOption('the zone they join; `default` if not given'))
    .addOption(anyWatchOption('each host'))
    .action(async (node: string | undefined, { nodes, expires, ...options }: Options) => {
      if ((node === undefined) === (nodes === undefined))
        throw new Failure(
          exitCodes.usage,
          'a join token needs either the name of one host or --nodes',
          "For a set: --nodes 'ssu[1-40].acme.org' --uses 40",
        );
      if (nodes !== undefined && options.uses === undefined)
        throw new Failure(exitCodes.usage, '--nodes needs --uses', 'Say how many hosts may use it: --uses 40');
      const expiresAt = expires === undefined ? undefined : new Date(cli.terminal.now() + expires).toISOString();
      const body = { nodes: node ?? nodes!, ...options, ...(expiresAt !== undefined && { expiresAt }) };
      showCreated(cli, (await cli.call(contract.createNodeToken, { body })).body);
    });
  examples(
    command,
    cli.terminal.name,
    ['node token create node7.acme.org', 'for one host, within an hour'],
    ["node token create --nodes 'ssu[1-40].acme.org' --uses 40 --expires 30d --cidr 10.0.0.0/8 > token", 'for an image'],
  );
};

/** The secret stands alone, so that `$(…)` and `>` take it as it is. */
function showCreated(
  cli: Cli,
  reply: {
    secret: string;
    token: { id: string; nodes: string; kind: string; zone: string; uses: number; anyWatch?: true | undefined; expiresAt: string };
  },
): void {
  const { secret, token } = reply;
  cli.show(reply, () => `${secret}\n`);
  const hosts = token.uses === 1 ? 'once' : `for ${token.uses} hosts`;
  const watched = token.anyWatch ? ', watched anywhere' : '';
  cli.say(
    `token ${token.id}: ${token.nodes}, ${hosts}, as ${token.kind} in zone ${token.zone}${watched}, until ${dated(token.expiresAt, cli.terminal.now())}`,
  );
}
