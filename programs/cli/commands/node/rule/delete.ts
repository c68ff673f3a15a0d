import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { ruleName } from './add.ts';
import { showRules } from './list.ts';

/** `node rule delete`: deletes an admission rule. */
export const deleteRule: Verb = (noun, cli) => {
  const command = noun
    .command('delete')
    .argument('<rule>', 'its name', ruleName)
    .description('Delete an admission rule. The nodes that it let in stay')
    .action(async (name: string) => showRules(cli, (await cli.call(contract.deleteAdmissionRule, { params: { name }, body: {} })).body));
  examples(command, cli.terminal.name, ['node rule delete racks']);
};
