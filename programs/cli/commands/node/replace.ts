import { contract } from '../../../../lib/contract.ts';
import { NodeId } from '../../../../lib/core/ids.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { node } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { hostOf, wholeHosts } from './hosts.ts';
import { outcome } from './outcome.ts';

/** `node replace`: another machine takes a node's place. */
export const replace: Verb = (noun, cli) => {
  const command = noun
    .command('replace')
    .argument('<node>', 'the node that is replaced: its id or fully qualified name', node)
    .argument(
      '<by>',
      'who takes its place: a node without client systems, by id or name, or a host in the pool, by name, fingerprint or the beginning of one',
      by,
    )
    .description(
      'Have another machine take the place of a node that is lost, or away for good: its index and its home, so that nobody else moves. The old one stays out. Asks first, unless --yes',
    )
    .option('--force', 'also while the old one is up: it is out at once, and its client systems wait until the other is ready')
    .action(async (id: NodeView['id'], given: string, { force }: { force?: true }) => {
      const heir = contract.replaceNode.body!.shape.by.parse((await wholeHosts(cli, [given]))[0]);
      await cli.confirm(`Have ${heir} take the place of ${id}? ${id} stays out, also if it comes back.`);
      outcome(cli, (await cli.call(contract.replaceNode, { params: { id }, body: { by: heir, force: force === true } })).body);
    });
  examples(
    command,
    cli.terminal.name,
    ['node replace node7.acme.org node9.acme.org', 'which has joined, and has no client systems yet'],
    ['node replace node7.acme.org <fingerprint>', 'a machine of the same name, which waits in the pool'],
    ['node replace node7.acme.org node9.acme.org --force --yes', 'although node7 is up'],
  );
};

const by = (text: string): string => NodeId.safeParse(text).data ?? hostOf(text);
