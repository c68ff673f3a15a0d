import type { OnboardingTokenView } from '../../../../../lib/clients/onboarding-tokens/routes.ts';
import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { ago } from '../../../output/moments.ts';
import { paintOf } from '../../../output/paint.ts';
import type { Column } from '../../../output/table.ts';
import { limited, showList } from '../../../pages.ts';

/** `onboarding token list`: lists onboarding tokens, and how often each was used. */
export const list: Verb = (noun, cli) => {
  const command = limited(noun.command('list'))
    .description('List onboarding tokens, including those that ended within the last month. Their secrets are never shown')
    .action(async ({ limit }: { limit: number }) => {
      await showList(cli, limit, async (at) => (await cli.call(contract.listOnboardingTokens, { query: at })).body, {
        columns,
        empty: 'no onboarding tokens',
      });
    });
  examples(command, cli.terminal.name, ['onboarding token list'], ["onboarding token list --json | jq '.[] | {id, used, uses}'"]);
};

const columns = (now: number): Column<OnboardingTokenView>[] => [
  { title: 'TOKEN', of: ({ id }) => id },
  { title: 'STATUS', of: ({ status }) => status, paint: ({ status }) => paintOf(status) },
  { title: 'ZONE', of: ({ zone }) => zone },
  { title: 'TAGS', of: ({ tags }) => tags.join(',') },
  { title: 'GROUPS', of: ({ groups }) => groups.join(',') },
  { title: 'NETWORK', of: ({ cidr }) => cidr ?? '' },
  { title: 'USED', align: 'right', of: ({ used, uses }) => `${used}/${uses}` },
  { title: 'A MINUTE', align: 'right', of: ({ perMinute, uses }) => (uses === 1 || perMinute === undefined ? '' : String(perMinute)) },
  { title: 'MADE', align: 'right', of: ({ createdAt }) => ago(createdAt, now) },
  { title: 'ENDS', of: ({ expiresAt }) => expiresAt.slice(0, 16).concat('Z') },
];
