import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { type Choice, onDeadLetters, onEach, wantChoice } from './chosen.ts';

type Options = Choice & { again?: true };

/** `dlq redrive`: gives dead letters back to where they came from. */
export const redrive: Verb = (noun, cli) => {
  const command = onDeadLetters(noun.command('redrive'))
    .description(
      'Give dead letters back to where they came from, once the cause is fixed. Safe to repeat; a letter that fails again is dead again, with one more death',
    )
    .option('--again', 'also those that were given back and have not died since; their queue may have lost them')
    .action(async (ids: readonly string[], { again, ...choice }: Options) => {
      wantChoice(ids, choice);
      const more = again ? { again } : {};
      await onEach(cli, ids, choice, 'given back', (some) => cli.call(contract.redriveDeadLetters, { body: { ...some, ...more } }));
    });
  examples(
    command,
    cli.terminal.name,
    ['dlq redrive 0f8b3f5e-6c1d-4c57-9a43-0d9a2f1c7b11'],
    ['dlq redrive --code row.busy', 'all dead letters of one transient failure'],
    ['dlq redrive --code unknown-type --queue reports', 'after a deploy that knows the type'],
  );
};
