import { contract } from '../../../../../lib/contract.ts';
import type { NodeTokenView } from '../../../../../lib/nodes/join-tokens/routes.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { ago } from '../../../output/moments.ts';
import { paintOf } from '../../../output/paint.ts';
import type { Column } from '../../../output/table.ts';
import { limited, showList } from '../../../pages.ts';

/** `node token list`: lists join tokens, and how often each was used. */
export const list: Verb = (noun, cli) => {
  const command = limited(noun.command('list'))
    .description('List join tokens, including those that ended within the last month. Their secrets are never shown')
    .action(async ({ limit }: { limit: number }) => {
      await showList(cli, limit, async (at) => (await cli.call(contract.listNodeTokens, { query: at })).body, {
        columns,
        empty: 'no join tokens',
      });
    });
  examples(
    command,
    cli.terminal.name,
    ['node token list'],
    ["node token list --json | jq -r '.[].admitted[].node'", 'the nodes that they let in'],
  );
};

const columns = (now: number): Column<NodeTokenView>[] => [
  { title: 'TOKEN', of: ({ id }) => id },
  { title: 'STATUS', of: ({ status }) => status, paint: ({ status }) => paintOf(status) },
  { title: 'NODES', of: ({ nodes }) => nodes },
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'ZONE', of: ({ zone }) => zone },
  { title: 'NETWORK', of: ({ cidr }) => cidr ?? '' },
  { title: 'WATCH', of: ({ anyWatch }) => (anyWatch ? 'any' : 'own') },
  { title: 'USED', align: 'right', of: ({ admitted, uses }) => `${admitted.length}/${uses}` },
  { title: 'MADE', align: 'right', of: ({ createdAt }) => ago(createdAt, now) },
  { title: 'ENDS', of: ({ expiresAt }) => expiresAt.slice(0, 16).concat('Z') },
];
