import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { renamed } from '../../verbs.ts';
import { type Choice, onDeadLetters, onEach, wantChoice } from './chosen.ts';

/** `dlq delete`: gives dead letters up. */
export const drop: Verb = (noun, cli) => {
  const command = onDeadLetters(renamed(noun, 'delete', 'drop'))
    .description('Drop dead letters and their messages for good. Asks first, unless --yes')
    .action(async (ids: readonly string[], choice: Choice) => {
      wantChoice(ids, choice);
      await cli.confirm(`Drop ${named(ids, choice)}? Muster keeps no other copy.`);
      await onEach(cli, ids, choice, 'dropped', (some) => cli.call(contract.dropDeadLetters, { body: some }));
    });
  examples(
    command,
    cli.terminal.name,
    ['dlq delete 0f8b3f5e-6c1d-4c57-9a43-0d9a2f1c7b11'],
    ['dlq delete --code malformed-json --yes', 'all of a code, in a script'],
  );
};

const named = (ids: readonly string[], { code, queue }: Choice): string => {
  if (ids.length > 0) return ids.length === 1 ? `the dead letter ${ids[0]}` : `${ids.length} dead letters`;
  return `every dead letter with the code ${code}${queue === undefined ? '' : ` in the queue ${queue}`}`;
};
