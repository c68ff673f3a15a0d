import { Option } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import { ServiceName, ServiceTypeName } from '../../../../lib/core/ids.ts';
import { ServiceStateName, type ServiceView } from '../../../../lib/services/view-routes.ts';
import { as } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { ago } from '../../output/moments.ts';
import { paintOf } from '../../output/paint.ts';
import type { Column } from '../../output/table.ts';
import { collect, limited, showList } from '../../pages.ts';
import { muster, nodeOrMuster, ruleColumns, rulesOf } from './rules.ts';
import { inServiceZone, serviceZone, type ZoneChoice } from './zone.ts';

type Filter = Partial<Pick<ServiceView, 'type' | 'name' | 'state'>> & { readonly node?: string };
type Options = ZoneChoice & Filter & { readonly limit: number };

const plain = '1 to 40 lower-case letters, digits or hyphens, beginning with a letter';

const pages = (cli: Cli, zone: ServiceView['zone'], filter: Filter) => async (at: { limit: number; cursor?: string }) =>
  (await cli.call(contract.listServices, { params: { zone }, query: { ...filter, ...at } })).body;

/** `service list`: what runs where. */
export const list: Verb = (noun, cli) => {
  const command = limited(inServiceZone(noun.command('list')))
    .description('List the services of a zone by name, with their nodes, their states, and the results of their last checks')
    .option('--type <type>', 'only services of this type', as(ServiceTypeName, plain))
    .option('--name <name>', 'only services with this name', as(ServiceName, plain))
    .option('-n, --node <node>', 'only services on this node; `muster` has the consumers of Muster itself', nodeOrMuster)
    .addOption(new Option('--state <state>', 'only services in this state').choices(ServiceStateName.options))
    .action(async ({ zone, limit, type, name, state, node: on }: Options) => {
      if (on === muster) return showRules(cli, type);
      const filter = { ...(type && { type }), ...(name && { name }), ...(state && { state }), ...(on && { node: on }) };
      const columnsNow = { columns, empty: 'no services' };
      await showList(cli, limit, pages(cli, await serviceZone(cli, { ...(zone && { zone }) }), filter), columnsNow);
    });
  examples(
    command,
    cli.terminal.name,
    ['service list'],
    ['service list --node node1.acme.org'],
    ['service list --state failed --json'],
    ['service list -n muster'],
  );
};

async function showRules(cli: Cli, type: string | undefined): Promise<void> {
  const rules = await rulesOf(cli, type);
  cli.show(rules, () => cli.table(rules, ruleColumns));
  if (rules.length === 0) cli.say('no services');
}

/** `service find`: the services with a name. Ends with 1 when none is online. */
export const find: Verb = (noun, cli) => {
  const command = inServiceZone(noun.command('find'))
    .argument('<name>', 'the service name', as(ServiceName, plain))
    .description('Print where services of a name are online, with their addresses, one a line. Ends with 1 when there is none')
    .action(async (name: ServiceView['name'], options: ZoneChoice) => {
      const filter = { name, state: 'online' as const };
      const { items } = await collect(Number.POSITIVE_INFINITY, pages(cli, await serviceZone(cli, options), filter));
      cli.show(items, () => items.map(({ host, type, address }) => `${[host, type, ...(address ? [address] : [])].join(' ')}\n`).join(''));
      if (items.length === 0) throw new Failure(exitCodes.failed, `no service ${name} is online`);
    });
  examples(command, cli.terminal.name, ['service find greeter'], ["service find web --json | jq -r '.[].address'"]);
};

const stateWord = ({ state, previous, drift }: ServiceView): string => {
  const aside = previous ?? (drift && 'drifted');
  return aside ? `${state} (${aside})` : state;
};

const columns = (now: number): Column<ServiceView>[] => [
  { title: 'SERVICE', of: ({ type }) => type },
  { title: 'NAME', of: ({ name }) => name },
  { title: 'NODE', of: ({ host }) => host },
  { title: 'STATE', of: stateWord, paint: ({ state }) => paintOf(state) },
  { title: 'HEALTH', of: ({ healthy }) => (healthy === undefined ? '' : healthy ? 'well' : 'not well') },
  { title: 'INSTANCE', of: ({ instance }) => instance },
  { title: 'SINCE', align: 'right', of: ({ since }) => ago(since, now) },
];
