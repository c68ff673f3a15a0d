import type { RuleView } from '../../../../lib/assembly/debug/routes.ts';
import { contract } from '../../../../lib/contract.ts';
import { node } from '../../arguments.ts';
import type { Cli } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import type { Column } from '../../output/table.ts';

/** The node that stands for Muster itself, whose services are its own consumers. */
export const muster = 'muster';

/** A node by its id or fully qualified name, or {@link muster}. */
export const nodeOrMuster = (text: string): string => (text === muster ? text : node(text));

/** Muster's own consumers as services, those of one type where it is given. */
export const rulesOf = async (cli: Cli, type?: string): Promise<readonly RuleView[]> =>
  (await cli.call(contract.listRules)).body.items.filter((one) => type === undefined || one.type === type);

/** The one of a type. Throws a {@link Failure} where there is none. */
export async function ruleOf(cli: Cli, type: string): Promise<RuleView> {
  const [rule] = await rulesOf(cli, type);
  if (rule) return rule;
  throw new Failure(exitCodes.failed, `unknown service ${type} on the node ${muster}`, `List them: service list -n ${muster}`);
}

/** The output of a check of one, line by line. */
export const ruleSays = ({ check }: RuleView): string => check.says.map((line) => `${line}\n`).join('');

/** As services are listed. */
export const ruleColumns: readonly Column<RuleView>[] = [
  { title: 'SERVICE', of: ({ type }) => type },
  { title: 'NODE', of: ({ node: on }) => on },
  { title: 'HEALTH', of: ({ check }) => (check.exit === 0 ? 'well' : 'not well') },
  { title: 'CONSUMES', of: ({ consumes }) => consumes },
  { title: 'DOES', of: ({ does }) => does },
];

/** The facts about one, as `service show` shows them. */
export const ruleFacts = ({ type, node: on, consumes, does, counted, metric, check }: RuleView): Record<string, string | undefined> => ({
  service: type,
  node: on,
  consumes,
  does,
  handled:
    counted && `${counted.handled} since ${counted.since}, ${counted.failed} failed${counted.lastAt ? `; last at ${counted.lastAt}` : ''}`,
  metric,
  health: check.exit === 0 ? 'well' : 'not well',
  check: check.says.join('; '),
});
