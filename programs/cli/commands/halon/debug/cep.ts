import type { RuleView } from '../../../../../lib/assembly/debug/routes.ts';
import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { ago } from '../../../output/moments.ts';
import type { Column } from '../../../output/table.ts';

/** `halon debug cep`: Muster's own consumers. */
export const cep: Verb = (noun, cli) => {
  const command = noun
    .command('cep')
    .description(
      'List the consumers of Muster itself: their sources, the messages that they have handled since an embedded host started (CloudWatch counts on AWS), and their health',
    )
    .action(async () => {
      const { body } = await cli.call(contract.listRules);
      cli.show(body, () => `${cli.table(body.items, columns(cli.terminal.now()))}${body.items.flatMap(faultsOf).join('')}`);
    });
  examples(command, cli.terminal.name, ['halon debug cep'], ['halon service rule-sweep check -n muster', 'ends with 0 while it is well']);
};

const columns = (now: number): readonly Column<RuleView>[] => [
  { title: 'RULE', of: ({ type }) => type },
  { title: 'CONSUMES', of: ({ consumes }) => consumes },
  { title: 'HANDLED', align: 'right', of: ({ counted }) => (counted ? String(counted.handled) : '') },
  { title: 'FAILED', align: 'right', of: ({ counted }) => (counted ? String(counted.failed) : '') },
  { title: 'LAST', align: 'right', of: ({ counted }) => ago(counted?.lastAt, now) },
  { title: 'CHECK', of: ({ check }) => (check.exit === 0 ? 'well' : 'not well') },
];

/** The reasons why a consumer is not well; none for one that is. */
const faultsOf = ({ type, check }: RuleView): string[] => (check.exit === 0 ? [] : check.says.map((says) => `${type}: ${says}\n`));
