import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { zoneOption } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { ago, interval } from '../../output/moments.ts';
import { paintOf } from '../../output/paint.ts';
import type { Column } from '../../output/table.ts';
import { collect, limited, showList } from '../../pages.ts';
import { statusWord } from './status-word.ts';

type Options = { zone?: NodeView['zone']; limit: number; wide?: true };

/** `node list`: the nodes of a zone. */
export const list: Verb = (noun, cli) => {
  const command = limited(noun.command('list'))
    .description('List the nodes of a zone, with status, slots, client systems, load, and when Muster last heard from each')
    .addOption(zoneOption('the zone; `default` if not given'))
    .option('--wide', 'more columns: id, kind, the rate at which it admits, weight, incarnation, generation')
    .action(async ({ zone, limit, wide }: Options) => {
      await showList(cli, limit, async (at) => (await cli.call(contract.listNodes, { query: { ...(zone && { zone }), ...at } })).body, {
        columns: (now) => (wide ? [...columns(now), ...wider] : columns(now)),
        empty: 'no nodes',
      });
      if (!zone && !cli.isJson()) await sayOthers(cli);
    });
  examples(
    command,
    cli.terminal.name,
    ['node list'],
    ['node list --zone emea --wide'],
    ['node list --json | jq -r \'.[] | select(.status == "down") | .fqdn\''],
  );
};

/** Names the other zones that have nodes: the list is of one zone. */
async function sayOthers(cli: Cli): Promise<void> {
  const zones = await collect(Number.POSITIVE_INFINITY, async (at) => (await cli.call(contract.listZones, { query: at })).body);
  const others = zones.items.filter(({ name, map }) => name !== 'default' && map.nodes.length > 0);
  const named = others.map(({ name, map }) => `${name} (${map.nodes.length})`);
  if (named.length > 0) cli.say(`only nodes of the zone default are listed; --zone lists those of other zones: ${named.join(', ')}`);
}

const columns = (now: number): Column<NodeView>[] => [
  { title: 'NODE', of: ({ fqdn }) => fqdn },
  { title: 'STATUS', of: statusWord, paint: (node) => paintOf(statusWord(node)) },
  { title: 'SLOTS', align: 'right', of: ({ slots }) => String(slots) },
  { title: 'SYSTEMS', align: 'right', of: ({ systemsAbout }) => `~${systemsAbout}` },
  { title: 'LOAD', align: 'right', of: ({ load }) => load?.load1.toFixed(2) ?? '' },
  { title: 'HEARD', align: 'right', of: ({ heardAt }) => ago(heardAt, now) },
];

/** An interval at which a node admits; empty for the usual one of its kind. */
const pace = (everyMs: number | undefined): string => (everyMs === undefined ? '' : everyMs === 0 ? 'free' : `1/${interval(everyMs)}`);

const wider: readonly Column<NodeView>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'ADMITS', of: ({ rate, admitEveryMs }) => pace(rate?.everyMs ?? admitEveryMs) },
  { title: 'WEIGHT', align: 'right', of: ({ weight }) => String(weight) },
  { title: 'INC', align: 'right', of: ({ incarnation }) => String(incarnation) },
  { title: 'GEN', align: 'right', of: ({ generation }) => String(generation) },
];
