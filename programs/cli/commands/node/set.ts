import { InvalidArgumentError } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { count, node, onOrOff, type Setting, spanMs, tag, unless } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { interval } from '../../output/moments.ts';
import { dryRunnable, notPreviewed, previewNode } from '../preview.ts';

type Labels = Readonly<Record<string, string>>;
type Options = {
  weight?: number;
  capacity?: Setting<number>;
  admitEvery?: Setting<number>;
  label?: Labels;
  vouched?: boolean;
  page?: Setting<string>;
  dryRun?: true;
};

/** `node set`: changes settings of a node. */
export const set: Verb = (noun, cli) => {
  const command = dryRunnable(noun.command('set'))
    .argument('<node>', 'its id or fully qualified name', node)
    .description('Change settings of a node')
    .option('--weight <number>', 'its share: a node of weight 2 takes twice the client systems of a node of weight 1', weight)
    .option('--capacity <n>', 'the most client systems it should have, or `unlimited`', unless('unlimited', count))
    .option(
      '--admit-every <span>',
      'admit one moved client system per span, such as 15s; `free` for any number at once, `usual` for what its kind can handle',
      unless('usual', everyMs),
    )
    .option('--vouched <on|off>', 'whether another system reports by ingest that it is alive, instead of its agent', onOrOff)
    .option('--label <name=value>', 'a label; may be repeated, and replaces all the labels that it has', label)
    .option('--page <template>', 'the address of its page, or `usual` for that of its zone (zone set --page)', unless('usual', String))
    .action(async (id: NodeView['id'], { weight, capacity, admitEvery, label, vouched, page, dryRun }: Options) => {
      const body = {
        ...(weight !== undefined && { weight }),
        ...(capacity && { capacity: capacity.to }),
        ...(admitEvery && { admitEveryMs: admitEvery.to }),
        ...(vouched !== undefined && { vouched }),
        ...(page && { page: page.to }),
        ...(label && { labels: label as NodeView['labels'] }),
      };
      if (Object.keys(body).length === 0)
        throw new Failure(exitCodes.usage, 'nothing to set', 'Give --weight, --capacity, --admit-every, --label, --page or --vouched');
      if (dryRun) return previewSettings(cli, id, body);
      const { body: view } = await cli.call(contract.editNode, { params: { id }, body });
      cli.show(
        view,
        () =>
          `${view.fqdn}: weight ${view.weight}, capacity ${view.capacity ?? 'unlimited'}, ${admits(view)}${view.vouched ? ', vouched for' : ''}${view.page === undefined ? '' : `, page ${view.page}`}\n`,
      );
    });
  examples(
    command,
    cli.terminal.name,
    ['node set node7.acme.org --weight 2 --capacity 15000'],
    ['node set node7.acme.org --weight 2 --dry-run', 'which client systems would move to it'],
    ['node set node7.acme.org --admit-every 5s', 'a server that registers clients faster than most'],
    ['node set node7.acme.org --page https://uyuni.acme.org/rhn/systems/details/Overview.do?sid={sid}'],
    ['node set node7.acme.org --vouched on', 'another system reports whether it is alive, and its agent stops doing so'],
  );
};

/** Shows what another weight would do. The other settings are of nodes or of turns to come. */
async function previewSettings(cli: Cli, id: NodeView['id'], { weight: to, ...rest }: { readonly weight?: number }): Promise<void> {
  const others = Object.keys(rest).join(', ');
  if (to === undefined) return notPreviewed(cli, `${others} cannot be previewed: only --weight can`);
  if (others !== '') cli.say(`${others} cannot be previewed: this shows the weight alone`);
  await previewNode(cli, id, (node) => ({ weight: `${node}:${to}` }));
}

/** How fast it takes client systems that were moved to it, in words. */
export const admits = ({ admitEveryMs }: NodeView): string =>
  admitEveryMs === undefined
    ? 'admits as fast as its kind can handle'
    : admitEveryMs === 0
      ? 'admits any number at once'
      : `admits one per ${interval(admitEveryMs)}`;

function weight(text: string): number {
  const given = Number(text);
  if (text.trim() === '' || !(given >= 0.01 && given <= 100)) throw new InvalidArgumentError('It must be a number from 0.01 to 100.');
  return given;
}

const everyMs = (text: string): number => (text === 'free' ? 0 : spanMs(text));

function label(text: string, before: Labels = {}): Labels {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be a name, = and a value.');
  return { ...before, [text.slice(0, at)]: tag(text.slice(at + 1)) };
}
