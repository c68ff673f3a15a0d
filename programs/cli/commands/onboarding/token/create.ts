import { Option } from 'commander';
import type { ReplyOf } from '../../../../../lib/api/route.ts';
import { machinesPerMinute } from '../../../../../lib/clients/onboarding-tokens/routes.ts';
import { contract } from '../../../../../lib/contract.ts';
import type { ZoneView } from '../../../../../lib/zones/routes.ts';
import { count, spanMs, tags, zoneOption } from '../../../arguments.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { dated } from '../../../output/moments.ts';

type Options = {
  zone?: ZoneView['name'];
  tag?: string[];
  group?: string[];
  uses?: number;
  perMinute?: number;
  expires?: number;
  cidr?: string;
};

/** `onboarding token create`: makes a secret that has machines accepted at their first knock. */
export const create: Verb = (noun, cli) => {
  const command = noun
    .command('create')
    .description(
      'Create a token that has machines accepted at their first knock. Prints only the secret to standard output; it is shown once',
    )
    .addOption(zoneOption('the zone they join; `default` if not given'))
    .option('--tag <tag>', 'a tag to give them; may be repeated', tags)
    .option('--group <group>', 'a group to put them into; may be repeated', tags)
    .addOption(new Option('--uses <n>', 'how many machines it accepts; default 1').argParser(count))
    .addOption(
      new Option(
        '--per-minute <n>',
        `how many machines it accepts a minute, at most ${machinesPerMinute.most}; default ${machinesPerMinute.usual}`,
      ).argParser(count),
    )
    .addOption(new Option('--expires <span>', 'how long it is valid; default 24h, at most 365d').argParser(spanMs))
    .option('--cidr <network>', 'only from this network, such as 10.0.0.0/8')
    .action(async ({ zone, tag, group, uses, perMinute, expires, cidr }: Options) => {
      const expiresAt = expires === undefined ? undefined : new Date(cli.terminal.now() + expires).toISOString();
      const body = {
        ...(zone && { zone }),
        ...(tag && { tags: tag }),
        ...(group && { groups: group }),
        ...(uses !== undefined && { uses }),
        ...(perMinute !== undefined && { perMinute }),
        ...(expiresAt !== undefined && { expiresAt }),
        ...(cidr !== undefined && { cidr }),
      };
      showCreated(cli, (await cli.call(contract.createOnboardingToken, { body })).body);
    });
  examples(
    command,
    cli.terminal.name,
    ['onboarding token create --zone emea --tag web --uses 500 --expires 30d --cidr 10.0.0.0/8 > token', 'for an image'],
    ['onboarding token create', 'for one machine, within a day'],
  );
};

/** The secret stands alone, so that `$(…)` and `>` take it as it is. */
function showCreated(cli: Cli, reply: ReplyOf<typeof contract.createOnboardingToken>): void {
  const { secret, token } = reply;
  cli.show(reply, () => `${secret}\n`);
  const machines = token.uses === 1 ? 'one machine' : `${token.uses} machines`;
  const pace = token.uses === 1 || token.perMinute === undefined ? '' : `, at most ${token.perMinute} a minute`;
  cli.say(`token ${token.id}: accepts ${machines} into zone ${token.zone}${pace}, until ${dated(token.expiresAt, cli.terminal.now())}`);
}
