import { Option } from 'commander';
import { contract } from '../../../../../lib/contract.ts';
import type { NodeView } from '../../../../../lib/nodes/admin-routes.ts';
import { as, count, zoneOption } from '../../../arguments.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { renamed } from '../../../verbs.ts';
import { type AnyWatch, anyWatchOption } from '../any-watch.ts';
import { kindOption } from '../kind.ts';
import { showRules } from './list.ts';

type Options = AnyWatch & { nodes: string; cidr?: string; kind?: NodeView['kind']; zone?: NodeView['zone']; count?: number };

/** The name of a rule. */
export const ruleName = as(
  contract.deleteAdmissionRule.params!.shape.name,
  'the name of a rule: 1 to 40 lower-case letters, digits or hyphens, beginning with a letter',
);

/** `node rule create`: makes a rule that admits hosts without a token. */
export const add: Verb = (noun, cli) => {
  const command = renamed(noun, 'create', 'add')
    .argument('<rule>', 'its name; an existing rule of this name is replaced', ruleName)
    .description('Admit hosts by name, network and kind, without a token. A host reports its own name, so give the network too')
    .requiredOption(
      '--nodes <pattern>',
      'the host names that it admits, such as ssu[1-40].acme.org; * matches within one label, and alone every name',
    )
    .option('--cidr <network>', 'only from this network, such as 10.0.0.0/8')
    .addOption(kindOption('only hosts that run this'))
    .addOption(zoneOption('the zone they join; `default` if not given'))
    .addOption(new Option('--count <n>', 'the most hosts that it admits; any number if not given').argParser(count))
    .addOption(anyWatchOption('each host'))
    .action(async (name: string, { count: left, ...options }: Options) => {
      showRules(cli, (await cli.call(contract.addAdmissionRule, { body: { name, ...options, ...(left !== undefined && { left }) } })).body);
    });
  examples(command, cli.terminal.name, ["node rule create racks --nodes 'ssu[001-040].acme.org' --cidr 10.20.0.0/16 --count 40"]);
};
