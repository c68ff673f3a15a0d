import { contract } from '../../../../lib/contract.ts';
import type { ZoneView } from '../../../../lib/zones/routes.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import type { Column } from '../../output/table.ts';
import { limited, showList } from '../../pages.ts';

/** `zone list`: lists all zones. */
export const list: Verb = (noun, cli) => {
  const command = limited(noun.command('list'))
    .description('List all zones: kind, mode, nodes, client systems, and slots without a node')
    .action(async ({ limit }: { limit: number }) => {
      await showList(cli, limit, async (at) => (await cli.call(contract.listZones, { query: at })).body, {
        columns: () => columns,
        empty: 'no zones',
      });
    });
  examples(command, cli.terminal.name, ['zone list'], ["zone list --json | jq '.[] | {name, version}'"]);
};

const columns: readonly Column<ZoneView>[] = [
  { title: 'ZONE', of: ({ name }) => name },
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'MODE', of: ({ mode }) => mode },
  { title: 'NODES', align: 'right', of: ({ map }) => String(map.nodes.length) },
  { title: 'SYSTEMS', align: 'right', of: ({ systemsAbout }) => `~${systemsAbout}` },
  { title: 'SLOTS', align: 'right', of: ({ map }) => String(map.slots) },
  { title: 'UNOWNED', align: 'right', of: ({ map }) => String(map.unowned), paint: ({ map }) => (map.unowned > 0 ? 'bad' : undefined) },
];
