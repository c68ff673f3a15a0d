import type { TokenKeyView } from '../../../../lib/access/token-keys/routes.ts';
import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { dated } from '../../output/moments.ts';
import type { Column } from '../../output/table.ts';

/** `keys list`: lists the keys that sign and verify, and since when. */
export const list: Verb = (noun, cli) => {
  const command = noun
    .command('list')
    .description('List the keys of membership tokens: the one that signs, the one that still verifies, and since when')
    .option('--audit', 'the keys that seal the audit instead; all of them verify')
    .action(async ({ audit = false }: { audit?: boolean }) => {
      const { items } = (await cli.call(contract.listTokenKeys, { query: { of: audit ? 'audit' : 'tokens' } })).body;
      cli.show(items, () => cli.table(items, columns(cli.terminal.now())));
    });
  examples(command, cli.terminal.name, ['keys list']);
};

const columns = (now: number): readonly Column<TokenKeyView>[] => [
  { title: 'KEY', align: 'right', of: ({ id }) => String(id) },
  { title: 'USE', of: ({ use }) => use },
  { title: 'SINCE', of: ({ since }) => dated(since, now) ?? 'the beginning' },
];
