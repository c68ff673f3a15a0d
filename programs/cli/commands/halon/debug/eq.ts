import type { QueueView } from '../../../../../lib/assembly/debug/routes.ts';
import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { span } from '../../../output/moments.ts';
import type { Column } from '../../../output/table.ts';
import { counted } from '../../facts/reading.ts';

/** `halon debug eq`: how deep the queues are. */
export const eq: Verb = (noun, cli) => {
  const command = noun
    .command('eq')
    .description('Show the depth of the queues of the deployment, the age of the oldest message in each, and the number of dead letters')
    .action(async () => {
      const { body } = await cli.call(contract.listQueues);
      cli.show(body, () => `${cli.table(body.queues, columns)}${counted(body.deadLetters, 'dead letter')}\n`);
    });
  examples(command, cli.terminal.name, ['halon debug eq']);
};

const columns: readonly Column<QueueView>[] = [
  { title: 'QUEUE', of: ({ queue }) => queue },
  { title: 'MESSAGES', align: 'right', of: ({ messages }) => String(messages) },
  { title: 'DELAYED', align: 'right', of: ({ delayed }) => (delayed === undefined ? '' : String(delayed)) },
  { title: 'WORKED ON', align: 'right', of: ({ hidden }) => (hidden === undefined ? '' : String(hidden)) },
  { title: 'OLDEST', align: 'right', of: ({ oldestAgeMs }) => (oldestAgeMs === undefined ? '' : span(oldestAgeMs)) },
];
