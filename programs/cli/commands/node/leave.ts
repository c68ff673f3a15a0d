import { Option } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { deadline, node } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { dryRunnable, notPreviewed, previewNode } from '../preview.ts';
import { outcome } from './outcome.ts';

type Options = { hold?: true; stay?: true; dryRun?: true; until?: (now: number) => string };

/** `node leave`: lets a node leave on purpose, or cancels that. */
export const leave: Verb = (noun, cli) => {
  const command = dryRunnable(noun.command('leave'))
    .argument('<node>', 'its id or fully qualified name', node)
    .description('Let a node leave on purpose: its client systems move to other nodes first, or with --hold wait for it until it is back')
    .addOption(new Option('--hold', 'keep its client systems for it, such as during an upgrade').conflicts('stay'))
    .addOption(
      new Option(
        '--until <moment>',
        'with --hold: when it is expected back, as a moment (UTC unless it names a time zone) or a span, such as 2h',
      ).argParser(deadline),
    )
    .addOption(new Option('--stay', 'cancel a leave, or lift a quarantine'))
    .action(async (id: NodeView['id'], { hold, stay, until, dryRun }: Options) => {
      refuseUntil(hold, until !== undefined);
      if (dryRun) return previewLeave(cli, id, hold ? '--hold' : stay ? '--stay' : undefined);
      const mode = stay ? 'stay' : hold ? 'hold' : 'drain';
      const body = { mode, ...(until && { until: until(cli.terminal.now()) }) } as const;
      outcome(cli, (await cli.call(contract.leaveNode, { params: { id }, body })).body);
    });
  examples(
    command,
    cli.terminal.name,
    ['node leave node7.acme.org --dry-run', 'where its client systems would go, and how long that takes'],
    ['node leave node7.acme.org', 'move its client systems away, then drop it as planned'],
    ['node leave node7.acme.org --hold --until 2h', 'for an upgrade'],
    ['node leave node7.acme.org --hold --until 2026-05-01T18:00:00Z'],
    ['node leave node7.acme.org --stay', 'cancel the leave'],
  );
};

/** Shows what a drain would do. Another way to leave, by its option, moves nothing. */
async function previewLeave(cli: Cli, id: NodeView['id'], other: string | undefined): Promise<void> {
  if (other !== undefined) return notPreviewed(cli, `${other} cannot be previewed: it moves no client system by itself`);
  await previewNode(cli, id, (drain) => ({ drain }));
}

/** Throws a {@link Failure} for a hold without an end, and for an end without a hold. */
function refuseUntil(hold: true | undefined, hasUntil: boolean): void {
  if (hold && !hasUntil)
    throw new Failure(
      exitCodes.usage,
      '--hold needs --until',
      'Say when the node is expected back: --until 2h, or --until 2026-05-01T18:00:00Z',
    );
  if (hasUntil && !hold)
    throw new Failure(exitCodes.usage, '--until works only with --hold', 'A drain ends when the last client system has moved');
}
