import { Option } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { deadline, node } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { outcome } from './outcome.ts';

type Options = { hold?: true; stay?: true; until?: (now: number) => string };

/** `node leave`: lets a node leave on purpose, or cancels that. */
export const leave: Verb = (noun, cli) => {
  const command = noun
    .command('leave')
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
    .action(async (id: NodeView['id'], { hold, stay, until }: Options) => {
      if (hold && !until)
        throw new Failure(
          exitCodes.usage,
          '--hold needs --until',
          'Say when the node is expected back: --until 2h, or --until 2026-05-01T18:00:00Z',
        );
      if (until && !hold)
        throw new Failure(exitCodes.usage, '--until works only with --hold', 'A drain ends when the last client system has moved');
      const mode = stay ? 'stay' : hold ? 'hold' : 'drain';
      const body = { mode, ...(until && { until: until(cli.terminal.now()) }) } as const;
      outcome(cli, (await cli.call(contract.leaveNode, { params: { id }, body })).body);
    });
  examples(
    command,
    cli.terminal.name,
    ['node leave node7.acme.org', 'move its client systems away, then drop it as planned'],
    ['node leave node7.acme.org --hold --until 2h', 'for an upgrade'],
    ['node leave node7.acme.org --hold --until 2026-05-01T18:00:00Z'],
    ['node leave node7.acme.org --stay', 'cancel the leave'],
  );
};
