import { Option } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { deadline, node } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { outcome } from './outcome.ts';

type Options = { hold?: true; stay?: true; until?: (now: number) => string };

/** `node leave`: let a node go on purpose, or keep it after all. */
export const leave: Verb = (noun, cli) => {
  const command = noun
    .command('leave')
    .argument('<node>', 'its id or fully qualified name', node)
    .description('Let a node go on purpose: its client systems move to other nodes first, or with --hold are kept for it until it is back')
    .addOption(new Option('--hold', 'keep its client systems for it, as for an upgrade').conflicts('stay'))
    .addOption(
      new Option(
        '--until <moment>',
        'with --hold: until when it is expected back, in UTC where no zone is given, or in how long, such as 2h',
      ).argParser(deadline),
    )
    .addOption(new Option('--stay', 'cancel a leave, or lift a quarantine'))
    .action(async (id: NodeView['id'], { hold, stay, until }: Options) => {
      if (hold && !until)
        throw new Failure(
          exitCodes.usage,
          '--hold wants to know until when',
          'Say when it is expected back: --until 2h, or --until 2026-05-01T18:00:00Z',
        );
      if (until && !hold)
        throw new Failure(exitCodes.usage, '--until goes with --hold', 'A drain ends when the last client system has moved');
      const mode = stay ? 'stay' : hold ? 'hold' : 'drain';
      const body = { mode, ...(until && { until: until(cli.terminal.now()) }) } as const;
      outcome(cli, (await cli.call(contract.leaveNode, { params: { id }, body })).body);
    });
  examples(
    command,
    cli.terminal.name,
    ['node leave node7.acme.org', 'move its client systems away, then it is dropped as planned'],
    ['node leave node7.acme.org --hold --until 2h', 'an upgrade'],
    ['node leave node7.acme.org --hold --until 2026-05-01T18:00:00Z'],
    ['node leave node7.acme.org --stay', 'after all not'],
  );
};
