import { contract } from '../../../lib/contract.ts';
import type { Verb } from '../cli.ts';
import { examples } from '../help.ts';
import { printable } from '../output/printable.ts';
import { rightsText } from '../output/rights.ts';

/** `whoami`: shows who this user is to the deployment. */
export const whoami: Verb = (program, cli) => {
  const command = program
    .command('whoami')
    .description('Show who you are to the deployment, and what you may do where')
    .action(async () => {
      const { body } = await cli.call(contract.whoAmI);
      const { who, name, rights } = body;
      cli.show(body, () => `${printable(name)}\n${cli.details({ 'changes are recorded as': who, may: rightsText(rights) })}`);
    });
  examples(command, cli.terminal.name, ['whoami'], ['whoami --json | jq .rights']);
};
