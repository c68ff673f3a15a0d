import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { number } from './show.ts';

const counted = (systems: number): string => (systems === 1 ? '1 client system' : `${systems} client systems`);

/** `system act cancel`: an action is not carried out where no agent has taken it yet. */
export const cancel: Verb = (noun, cli) => {
  const command = noun
    .command('cancel')
    .argument('<number>', 'the number of the action', number)
    .description('Cancel an action where no server has been asked yet; asks first, unless --yes')
    .action(async (given: string) => {
      await cli.confirm(`Cancel action ${given} where no agent has taken it yet?`);
      const { body } = await cli.call(contract.cancelSystemAction, { params: { number: given } });
      const others = body.others > 0 ? `; ${counted(body.others)} not: see system act show ${given}` : '';
      cli.show(body, () => `${counted(body.cancelled)} cancelled${others}\n`);
    });
  examples(command, cli.terminal.name, ['system act cancel 1500000017']);
};
