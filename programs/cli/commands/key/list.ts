import type { ApiKeyView } from '../../../../lib/access/api-keys/routes.ts';
import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { ago, dated } from '../../output/moments.ts';
import { paintOf } from '../../output/paint.ts';
import { rightsText } from '../../output/rights.ts';
import type { Column } from '../../output/table.ts';
import { limited, showList } from '../../pages.ts';

/** `key list`: lists API keys and sessions. */
export const list: Verb = (noun, cli) => {
  const command = limited(noun.command('list'))
    .description(
      'List API keys, and the sessions of people who signed in by a link: what each may do, until when, and when it was last used',
    )
    .action(async ({ limit }: { limit: number }) => {
      await showList(cli, limit, async (at) => (await cli.call(contract.listKeys, { query: at })).body, {
        columns,
        empty: 'no keys',
        note,
      });
    });
  examples(
    command,
    cli.terminal.name,
    ['key list'],
    ["key list --json | jq -r '.[] | select(.lastUsedAt == null) | .id'", 'keys that were never used'],
  );
};

/** A note on keys from before the scope for commands: their makers expect `operate` and `admin` to start them. */
function note(keys: readonly ApiKeyView[]): string | undefined {
  const without = keys.filter(
    ({ status, rights: { operate, admin, execute } }) => status === 'valid' && (operate ?? admin) !== undefined && execute === undefined,
  );
  if (without.length === 0) return undefined;
  return `${without.map(({ id }) => id).join(', ')}: operate and admin do not start services that take a command; that needs execute (key create --scope execute)`;
}

const columns = (now: number): readonly Column<ApiKeyView>[] => [
  { title: 'ID', of: ({ id }) => id },
  { title: 'NAME', of: ({ name }) => name },
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'STATUS', of: ({ status }) => status, paint: ({ status }) => paintOf(status) },
  { title: 'MAY', of: ({ rights }) => rightsText(rights) },
  { title: 'USED', align: 'right', of: ({ lastUsedAt }) => ago(lastUsedAt, now) },
  { title: 'EXPIRES', of: ({ expiresAt }) => dated(expiresAt, now) ?? '' },
  { title: 'MADE BY', of: ({ createdBy }) => createdBy },
];
