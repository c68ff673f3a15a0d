import type { ReplyOf } from '../../../lib/api/route.ts';
import { deadCountedMax } from '../../../lib/assembly/status-routes.ts';
import { contract } from '../../../lib/contract.ts';
import type { Cli, Verb } from '../cli.ts';
import { examples } from '../help.ts';
import { ago, interval } from '../output/moments.ts';
import { refusedText } from '../output/refused.ts';

type Status = ReplyOf<typeof contract.status>;
type Counts = NonNullable<Status['counts']>;

/** How many zones are shown at a glance: with the headline they fit on a screen. */
const glancedMax = 20;

/** `status`: shows the deployment at a glance. */
export const status: Verb = (program, cli) => {
  const command = program
    .command('status')
    .description('Show the deployment at a glance: its zones, their nodes by status, and about how many client systems they have')
    .option('--all', `every zone; else ${glancedMax}, first those with a problem, then the busiest (--json always has all)`)
    .option(
      '--counts',
      'also count client systems by status, tag and group, and who waits; reads every client system once, as a search does',
    )
    .action(async ({ all, counts }: { readonly all?: true; readonly counts?: true }) => {
      const { body } = await cli.call(contract.status, { query: counts ? { counts: 'yes' } : {} });
      const visible = all ? body.zones : glanced(body.zones);
      cli.show(
        body,
        () =>
          headline(body, cli) +
          zones(visible, cli) +
          others(body.zones.length - visible.length, cli.terminal) +
          forecasts(visible) +
          (body.counts ? counted(body.counts, cli) : ''),
      );
    });
  examples(
    command,
    cli.terminal.name,
    ['status'],
    ['status --all', 'a line for every zone'],
    ['status --counts', 'who waits, and which tags there are'],
    ['status --json'],
  );
};

function headline({ deployment, version, intervalMs, sweptAt, deadLetters, refusedKnocks = 0 }: Status, { terminal }: Cli): string {
  const deadText = deadLetters === undefined ? '' : ` · ${dead(deadLetters, terminal)}`;
  const swept = sweptAt ? `swept ${ago(sweptAt, terminal.now())} ago` : 'not swept yet';
  const refused = refusedText(refusedKnocks, terminal);
  const refusedLine = refused === undefined ? '' : `${refused}\n`;
  return `Muster ${version} · ${deployment} · heartbeats every ${interval(intervalMs)} · ${swept}${deadText}\n${refusedLine}`;
}

/** How many there are, and where to look when there are any. */
function dead(letterCount: number, { name }: Cli['terminal']): string {
  if (letterCount === 0) return 'no dead letters';
  const many = `${letterCount}${letterCount >= deadCountedMax ? ' or more' : ''}`;
  return `${many} dead letter${letterCount === 1 ? '' : 's'}, see ${name} dlq list`;
}

/** Chooses zones with a problem first, then the busiest, and keeps the order of the whole list. */
function glanced(zones: Status['zones']): Status['zones'] {
  const isWrong = ({ disrupted, frozen, forecast }: Status['zones'][number]): number => (disrupted || frozen || forecast ? 1 : 0);
  const first = [...zones].sort((one, other) => isWrong(other) - isWrong(one) || other.systemsAbout - one.systemsAbout);
  const chosen = new Set(first.slice(0, glancedMax));
  return zones.filter((zone) => chosen.has(zone));
}

/** How many zones are not shown, and how to see them. */
function others(more: number, { name }: Cli['terminal']): string {
  return more === 0 ? '' : `and ${more} more zone${more === 1 ? '' : 's'}, see ${name} status --all\n`;
}

const zones = (visible: Status['zones'], cli: Cli): string =>
  cli.table(visible, [
    { title: 'ZONE', of: ({ name }) => name },
    { title: 'MODE', of: ({ mode }) => mode },
    {
      title: 'NODES',
      of: ({ nodes, disrupted, frozen }) => `${nodesOf(nodes)}${disrupted ? ' · disrupted' : ''}${frozen ? ` · frozen: ${frozen}` : ''}`,
    },
    { title: 'SYSTEMS', align: 'right', of: ({ systemsAbout }) => `~${systemsAbout}` },
    { title: 'SILENT', align: 'right', of: ({ silentAbout }) => (silentAbout === undefined ? '' : String(silentAbout)) },
    { title: 'SLOTS', align: 'right', of: ({ slots }) => String(slots) },
    { title: 'VERSION', align: 'right', of: ({ version }) => String(version) },
  ]);

/** When the client systems that wait are placed, zone by zone. */
const forecasts = (visible: Status['zones']): string =>
  visible.flatMap(({ name, forecast }) => (forecast ? [`zone ${name}: ${forecast.because}\n`] : [])).join('');

/** Who waits, and the client systems by status, tag and group. */
function counted({ systems, hosts, tags, groups }: Counts, cli: Cli): string {
  const held = systems.held > 0 ? `, ${systems.held} of them held` : '';
  const back = hosts.askingBack > 0 ? `, ${hosts.askingBack} ask to come back` : '';
  return cli.details({
    waiting: `client systems: ${systems.new}${held}; hosts: ${hosts.waiting}${back}`,
    systems: `onboarded ${systems.onboarded}, orphan ${systems.orphan}, deleted ${systems.deleted}; silent ${systems.silent}`,
    tags: labels(tags),
    groups: labels(groups),
  });
}

const labels = ({ values, more }: Counts['tags']): string | undefined =>
  values.length === 0
    ? undefined
    : [...values.map(({ value, count }) => `${value} ${count}`), ...(more > 0 ? [`${more} more`] : [])].join(', ');

const nodesOf = (nodes: Readonly<Record<string, number>>): string =>
  Object.entries(nodes)
    .filter(([, n]) => n > 0)
    .map(([of, n]) => `${n} ${of}`)
    .join(', ') || 'none';
