import { ApiKeyView } from '../../../../lib/access/api-keys/routes.ts';
import { contract } from '../../../../lib/contract.ts';
import { as } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { printable } from '../../output/printable.ts';
import { confirmMade } from '../made.ts';

/** `key revoke`: ends an API key or a session. */
export const revoke: Verb = (noun, cli) => {
  const command = noun
    .command('revoke')
    .argument('<id>', 'its id, as `key list` shows it', as(ApiKeyView.shape.id, 'the id of a key: 12 lower-case letters and digits'))
    .description('Revoke an API key, or end a session: it stops working within 5 s. Safe to repeat')
    .option('--with-made', 'also end the keys, sessions and tokens that were made with it, and all that were made with these')
    .option('-n, --dry-run', 'only show what --with-made would end')
    .action(async (id: string, { withMade = false, dryRun = false }: { withMade?: boolean; dryRun?: boolean }) => {
      const params = { id };
      if (withMade || dryRun) {
        const { made = [] } = (await cli.call(contract.revokeKey, { params, body: { withMade: true, dryRun: true } })).body;
        if (!(await confirmMade(cli, made, { dryRun, question: `Revoke ${id} and everything that was made with it?` }))) return;
      }
      const { body } = await cli.call(contract.revokeKey, { params, body: { withMade } });
      cli.show(body, () => `${body.id}, ${printable(body.name)}, is ${body.status}\n`);
    });
  examples(command, cli.terminal.name, ['key revoke 7q2m4k9x0c3d'], ['key revoke 7q2m4k9x0c3d --with-made', 'a key that was stolen']);
};
