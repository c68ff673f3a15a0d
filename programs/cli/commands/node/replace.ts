import { contract } from '../../../../lib/contract.ts';
import { NodeId } from '../../../../lib/core/ids.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { node } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { dryRunnable, previewNode } from '../preview.ts';
import { hostOf, wholeHosts } from './hosts.ts';
import { outcome } from './outcome.ts';

/** `node replace`: another machine takes a node's place. */
export const replace: Verb = (noun, cli) => {
  const command = dryRunnable(noun.command('replace'))
    .argument('<node>', 'the node to replace: its id or fully qualified name', node)
    .argument(
      '<by>',
      'the replacement: a node without client systems, by id or name, or a host in the pool, by name, fingerprint or its beginning',
      by,
    )
    .description(
      'Replace a node that is lost, or away for good, with another machine. It takes over the index and the home of the old node, so that no other client systems move. The old node stays out. Asks first, unless --yes',
    )
    .option('--force', 'also while the old node is up: it is out at once, and its client systems wait until the new one is ready')
    .action(async (id: NodeView['id'], given: string, { force, dryRun }: { force?: true; dryRun?: true }) => {
      const heir = contract.replaceNode.body!.shape.by.parse((await wholeHosts(cli, [given]))[0]);
      if (dryRun) return previewNode(cli, id, (replace) => ({ replace, with: heir }));
      await cli.confirm(`Replace ${id} with ${heir}? ${id} stays out, even if it comes back.`);
      outcome(cli, (await cli.call(contract.replaceNode, { params: { id }, body: { by: heir, force: force === true } })).body);
    });
  examples(
    command,
    cli.terminal.name,
    ['node replace node7.acme.org node9.acme.org', 'node9 has joined, and has no client systems yet'],
    ['node replace node7.acme.org <fingerprint>', 'a machine of the same name that waits in the pool'],
    ['node replace node7.acme.org node9.acme.org --force --yes', 'even while node7 is up'],
  );
};

const by = (text: string): string => NodeId.safeParse(text).data ?? hostOf(text);
