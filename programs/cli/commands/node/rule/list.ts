import type { ReplyOf } from '../../../../../lib/api/route.ts';
import { contract } from '../../../../../lib/contract.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';

/** `node rule list`: lists the rules, in the order in which Muster tries them. */
export const list: Verb = (noun, cli) => {
  const command = noun
    .command('list')
    .description('List the rules that admit hosts without a token; the first match counts')
    .action(async () => showRules(cli, (await cli.call(contract.listAdmissionRules)).body));
  examples(command, cli.terminal.name, ['node rule list']);
};

/** Shows the rules as they are now. */
export function showRules(cli: Cli, reply: ReplyOf<typeof contract.listAdmissionRules>): void {
  cli.show(reply.rules, () =>
    cli.table(reply.rules, [
      { title: 'RULE', of: ({ name }) => name },
      { title: 'NODES', of: ({ nodes }) => nodes },
      { title: 'NETWORK', of: ({ cidr }) => cidr ?? 'any' },
      { title: 'KIND', of: ({ kind }) => kind ?? 'any' },
      { title: 'ZONE', of: ({ zone }) => zone },
      { title: 'WATCH', of: ({ anyWatch }) => (anyWatch ? 'any' : 'own') },
      { title: 'LEFT', align: 'right', of: ({ left }) => (left === undefined ? 'any' : String(left)) },
    ]),
  );
  if (reply.rules.length === 0) cli.say('no admission rules');
}
