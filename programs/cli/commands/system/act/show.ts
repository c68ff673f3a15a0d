import { InvalidArgumentError } from 'commander';
import { inWords, type SystemActionView } from '../../../../../lib/clients/actions/routes.ts';
import { contract } from '../../../../../lib/contract.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { dated } from '../../../output/moments.ts';
import { printable } from '../../../output/printable.ts';

/** The number of an action as an argument. Throws for anything else. */
export function number(text: string): string {
  if (!/^[1-9]\d{9}$/.test(text)) throw new InvalidArgumentError('It must be the number of an action: ten digits.');
  return text;
}

/** `system act show`: how far an action has come, on each node. */
export const show: Verb = (noun, cli) => {
  const command = noun
    .command('show')
    .argument('<number>', 'the number of the action', number)
    .description('Show how far an action has come on each node, and which client systems have failed')
    .action(async (given: string) => {
      const { body } = await cli.call(contract.systemAction, { params: { number: given } });
      cli.show(body, () => page(body, cli));
    });
  examples(command, cli.terminal.name, ['system act show 1500000017'], ['system act show 1500000017 --watch', 'refreshed every 2 seconds']);
};

function page(action: SystemActionView, cli: Cli): string {
  const {
    number: n,
    what,
    state,
    systems,
    inProgress,
    done,
    failed,
    left,
    unknown,
    cancelled,
    by,
    orderedAt,
    nodes,
    examples: some,
    others,
  } = action;
  const now = cli.terminal.now();
  const facts = cli.details({
    action: String(n),
    does: what.do === 'command' ? 'run a command' : inWords(what),
    state,
    'client systems': `${systems}: ${done} done, ${failed} failed, ${inProgress} in progress`,
    'not done': left + unknown + cancelled === 0 ? undefined : `${left} left, ${unknown} unknown, ${cancelled} cancelled`,
    ordered: `${dated(orderedAt, now)}, by ${printable(by)}`,
  });
  const table = cli.table(nodes, [
    { title: 'NODE', of: ({ fqdn }) => fqdn },
    { title: 'STATE', of: (node) => node.state },
    { title: 'DONE', of: (node) => `${node.done} of ${node.systems}` },
    { title: 'FAILED', of: (node) => String(node.failed) },
    { title: 'ACTION THERE', of: ({ id }) => (id === undefined ? '-' : String(id)) },
    { title: 'WHY', of: ({ why = '' }) => printable(why) },
  ]);
  if (some.length === 0) return `${facts}\n${table}`;
  const rows = cli.table(some, [
    { title: 'FINGERPRINT', of: ({ fp }) => fp.slice(0, 16) },
    { title: 'NAME', of: ({ fqdn = '' }) => printable(fqdn) },
    { title: 'IS', of: (one) => one.is },
    { title: 'WHY', of: ({ why }) => printable(why) },
  ]);
  return `${facts}\n${table}\n${rows}${others > 0 ? `and ${others} more\n` : ''}`;
}
