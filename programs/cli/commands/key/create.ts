import { InvalidArgumentError, Option } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import type { ZoneName } from '../../../../lib/core/ids.ts';
import { type AdminScope, adminScopes } from '../../../../lib/identity/rights.ts';
import { count, zone } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { dated } from '../../output/moments.ts';
import { printable } from '../../output/printable.ts';
import { rightsText } from '../../output/rights.ts';

type Options = { scope: AdminScope[]; zone?: ZoneName[]; days?: number };

/** `key create`: makes an API key for a program. */
export const create: Verb = (noun, cli) => {
  const command = noun
    .command('create')
    .argument('<name>', 'its purpose, as lists show it')
    .description('Create an API key for a program. Prints only the secret to standard output; it is shown once')
    .addOption(scopeOption())
    .option('--zone <name>', 'only in this zone; may be given several times', zones)
    .option('--days <n>', 'for how many days it is valid', count)
    .action(async (name: string, { scope, zone: within, days }: Options) => {
      const body = { name, scopes: scope, ...(within && { zones: within }), ...(days !== undefined && { expiresInDays: days }) };
      const made = (await cli.call(contract.createKey, { body })).body;
      cli.show(made, () => `${made.secret}\n`);
      const { id, rights, expiresAt } = made.key;
      cli.say(`key ${id}, ${printable(made.key.name)}: ${rightsText(rights)}, until ${dated(expiresAt, cli.terminal.now())}`);
    });
  examples(
    command,
    cli.terminal.name,
    ['key create nightly-report --scope read'],
    ['key create ci --scope operate --zone acme --days 30 > ci.key', 'for a program that has it in MUSTER_TOKEN'],
    ['key create watchtower --scope report --zone acme', 'for a program that vouches for nodes, or reports processes and services'],
    [
      'key create gateway --scope number --scope edit --zone acme',
      'for muster-gateway, which numbers actions of Uyuni servers, and edits common content on one of them',
    ],
    ['key create deploy --scope execute --zone acme', 'for a program that starts services whose configuration is a command'],
  );
};

/** What a key may do, by name: completion offers the choices, and `scopes` gathers them. */
const scopeOption = (): Option =>
  new Option('--scope <scope>', 'what it may do; may be given several times').choices(adminScopes).argParser(scopes).makeOptionMandatory();

/** One more scope, and one more zone. */
function scopes(text: string, before: readonly AdminScope[] = []): AdminScope[] {
  const named = adminScopes.find((scope) => scope === text);
  if (!named) throw new InvalidArgumentError(`It must be one of ${adminScopes.join(', ')}.`);
  return [...before, named];
}
const zones = (text: string, before: readonly ZoneName[] = []): ZoneName[] => [...before, zone(text)];
