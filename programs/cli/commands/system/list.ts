import { Option } from 'commander';
import type { SystemView } from '../../../../lib/clients/admin-routes.ts';
import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { node, tag, zoneOption } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { limited, showList } from '../../pages.ts';
import { systemColumns } from './rows.ts';

type Options = {
  status?: SystemView['status'];
  zone?: NodeView['zone'];
  node?: NodeView['id'];
  tag?: string;
  pinned?: true;
  limit: number;
  wide?: true;
};

/** `system list`: lists client systems by status, zone, node or tag. */
export const list: Verb = (noun, cli) => {
  const command = limited(noun.command('list'))
    .description('List client systems, all or by status, zone, node or tag')
    .addOption(new Option('--status <status>', 'only those with this status').choices(['new', 'onboarded', 'orphan', 'deleted']))
    .addOption(zoneOption('only those of this zone; if not given, of `default`, or of the zones that you are limited to'))
    .addOption(new Option('--node <node>', 'only those on this node').argParser(node))
    .addOption(new Option('--tag <tag>', 'only those with this tag').argParser(tag))
    .option('--pinned', 'only those pinned to a node')
    .option('--wide', 'whole fingerprints')
    .action(async ({ limit, wide, pinned, ...given }: Options) => {
      const query = { ...given, ...(pinned && { pinned: 'yes' as const }) };
      await showList(cli, limit, async (at) => (await cli.call(contract.listSystems, { query: { ...query, ...at } })).body, {
        columns: (now) => systemColumns(now, wide === true),
        empty: 'no client systems',
      });
    });
  examples(
    command,
    cli.terminal.name,
    ['system list --status orphan'],
    ['system list --node node7.acme.org --limit 20'],
    ["system list --tag db --json | jq -r '.[].fqdn'"],
  );
};
