import { type Command, Option } from 'commander';
import type { Sent } from '../../../lib/api/client.ts';
import type { NodePreview, ZonePreview } from '../../../lib/assembly/preview/routes.ts';
import { contract } from '../../../lib/contract.ts';
import type { NodeView } from '../../../lib/nodes/admin-routes.ts';
import type { Cli } from '../cli.ts';
import { paintOf } from '../output/paint.ts';
import { storageText } from './storage-loss.ts';

/** The order that a preview is about, as the API takes it. */
export type PreviewQuery = NonNullable<Sent<typeof contract.previewZone>['query']>;

/** Adds `--dry-run` to a command whose order can be previewed, and the formats of what it then shows. */
export const dryRunnable = (command: Command): Command =>
  command.option('-n, --dry-run', 'show what would happen, and change nothing').addOption(outputOption());

/** The formats of a preview. */
export const outputOption = (): Option => new Option('-o, --output <format>', 'json or yaml').choices(['json', 'yaml']);

/** Shows what an order about a node would do. Throws a {@link Failure} where the order would be refused. */
export async function previewNode(cli: Cli, id: NodeView['id'], query: (node: NodeView['id']) => PreviewQuery): Promise<void> {
  const { body: node } = await cli.call(contract.getNode, { params: { id } });
  await previewZone(cli, node.zone, query(node.id));
}

/** Shows what an order would do in a zone. */
export async function previewZone(cli: Cli, zone: ZonePreview['zone'], query: PreviewQuery): Promise<void> {
  const { body } = await cli.call(contract.previewZone, { params: { zone }, query });
  cli.show(body, () => previewText(body, cli));
}

/** Says in a line why there is nothing to preview. */
export const notPreviewed = (cli: Cli, because: string): void => cli.show({ previewed: false, because }, () => `${because}\n`);

function previewText(preview: ZonePreview, cli: Cli): string {
  const { nodes, others, guards, because, forecast, isComplete, storage, stations } = preview;
  const lines = [
    `Dry run: ${preview.what}. Nothing has changed.`,
    headline(preview),
    ...others.map(({ fqdn, slots, because: why }) => `${counted(slots, 'slot')} of ${fqdn} would move as well: ${why}`),
    ...guards.map((one) => `held: ${one.because}${one.overruledBy ? ` (ended by: ${one.overruledBy})` : ''}`),
    `forecast: ${forecast.because}`,
    ...because.map((why) => `because: ${why}`),
    ...(isComplete ? [] : ['This is not the end: more would move later.']),
  ];
  const table = cli.table(nodes.filter(isTouched), columns);
  return `${lines.join('\n')}\n${table}${storage ? storageText(storage, stations, cli) : ''}`;
}

function headline({ moved, waiting, others }: ZonePreview): string {
  const rest = others.length === 0 ? 'no other slot would move' : 'others would move, too';
  const waits = waiting.slots === 0 ? '' : `; ${counted(waiting.slots, 'slot')} with ~${waiting.systemsAbout} client systems would wait`;
  if (moved.slots === 0) return `No slot would move${waits}.`;
  return `${counted(moved.slots, 'slot')} with ~${moved.systemsAbout} client systems would move to ${counted(moved.nodes, 'node')}; ${rest}${waits}.`;
}

const counted = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;

const isTouched = ({ slots, systemsAbout }: NodePreview): boolean =>
  slots.before !== slots.after || systemsAbout.before !== systemsAbout.after;

const columns = [
  { title: 'NODE', of: ({ fqdn }: NodePreview) => fqdn },
  { title: 'STANDING', of: ({ standing }: NodePreview) => standing, paint: ({ standing }: NodePreview) => paintOf(standing) },
  { title: 'SLOTS', align: 'right', of: ({ slots }: NodePreview) => `${slots.before} → ${slots.after}` },
  { title: 'SYSTEMS', align: 'right', of: ({ systemsAbout: is }: NodePreview) => `~${is.before} → ~${is.after}` },
  { title: 'ROOM', align: 'right', of: ({ room }: NodePreview) => (room === undefined ? '' : String(room)) },
] as const;
