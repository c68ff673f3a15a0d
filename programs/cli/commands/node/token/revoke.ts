import { contract } from '../../../../../lib/contract.ts';
import type { NodeTokenView } from '../../../../../lib/nodes/join-tokens/routes.ts';
import { as } from '../../../arguments.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';

const tokenId = as(contract.revokeNodeToken.params!.shape.id, 'the id of a token: 12 lower-case letters and digits');

/** `node token revoke`: ends a join token. */
export const revoke: Verb = (noun, cli) => {
  const command = noun
    .command('revoke')
    .argument('<token>', 'its id, as `node token list` shows it', tokenId)
    .description('Revoke a join token: it stops admitting hosts. The nodes that it let in stay')
    .action(async (id: NodeTokenView['id']) => {
      const { body } = await cli.call(contract.revokeNodeToken, { params: { id }, body: {} });
      cli.show(body, () => `token ${body.id} is ${body.status}; it let in ${body.admitted.length} of ${body.uses}\n`);
    });
  examples(command, cli.terminal.name, ['node token revoke 4q7xk2m9w0ab']);
};
