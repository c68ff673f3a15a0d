import { deadCountedMax } from '../../lib/api/admin-routes.ts';
import { contract } from '../../lib/api/contract.ts';
import type { ReplyOf } from '../../lib/api/route.ts';
import type { Cli, Verb } from '../cli.ts';
import { examples } from '../help.ts';
import { ago, interval } from '../output/moments.ts';

type Status = ReplyOf<typeof contract.status>;

/** `status`: the deployment at a glance. */
export const status: Verb = (program, cli) => {
  const command = program
    .command('status')
    .description('The deployment at a glance: its zones, their nodes by status, and about how many client systems they have')
    .action(async () => {
      const { body } = await cli.call(contract.status);
      cli.show(body, () => headline(body, cli) + zones(body, cli) + forecasts(body));
    });
  examples(command, cli.terminal.name, ['status'], ['status --json']);
};

function headline({ deployment, version, intervalMs, sweptAt, deadLetters }: Status, { terminal }: Cli): string {
  const letters = deadLetters === undefined ? '' : ` · ${dead(deadLetters, terminal)}`;
  const swept = sweptAt ? `swept ${ago(sweptAt, terminal.now())} ago` : 'not swept yet';
  return `Muster ${version} · ${deployment} · heartbeats every ${interval(intervalMs)} · ${swept}${letters}\n`;
}

/** How many there are, and where to look when there are any. */
function dead(letters: number, { name }: Cli['terminal']): string {
  if (letters === 0) return 'no dead letters';
  const many = `${letters}${letters >= deadCountedMax ? ' or more' : ''}`;
  return `${many} dead letter${letters === 1 ? '' : 's'}, see ${name} dlq ls`;
}

const zones = (body: Status, cli: Cli): string =>
  cli.table(body.zones, [
    { title: 'ZONE', of: ({ name }) => name },
    { title: 'MODE', of: ({ mode }) => mode },
    {
      title: 'NODES',
      of: ({ nodes, disrupted, frozen }) => `${nodesOf(nodes)}${disrupted ? ' · disrupted' : ''}${frozen ? ` · frozen: ${frozen}` : ''}`,
    },
    { title: 'SYSTEMS', align: 'right', of: ({ systemsAbout }) => `~${systemsAbout}` },
    { title: 'SLOTS', align: 'right', of: ({ slots }) => String(slots) },
    { title: 'VERSION', align: 'right', of: ({ version }) => String(version) },
  ]);

/** When those that wait are placed, zone by zone. */
const forecasts = ({ zones }: Status): string =>
  zones.flatMap(({ name, forecast }) => (forecast ? [`zone ${name}: ${forecast.because}\n`] : [])).join('');

const nodesOf = (nodes: Readonly<Record<string, number>>): string =>
  Object.entries(nodes)
    .filter(([, n]) => n > 0)
    .map(([of, n]) => `${n} ${of}`)
    .join(', ') || 'none';
