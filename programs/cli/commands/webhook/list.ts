import { contract } from '../../../../lib/contract.ts';
import type { WebhookView } from '../../../../lib/webhooks/routes.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { ago } from '../../output/moments.ts';
import { paintOf } from '../../output/paint.ts';
import type { Column } from '../../output/table.ts';

/** `webhook list`: lists webhooks. */
export const list: Verb = (noun, cli) => {
  const command = noun
    .command('list')
    .description('List webhooks: where events are delivered, and which events')
    .action(async () => {
      const { items } = (await cli.call(contract.listWebhooks)).body;
      cli.show(items, () => cli.table(items, columns(cli.terminal.now())));
      if (items.length === 0) cli.say('no webhooks');
    });
  examples(command, cli.terminal.name, ['webhook list'], ['webhook list --json | jq -r \'.[] | select(.status == "disabled") | .id\'']);
};

const columns = (now: number): readonly Column<WebhookView>[] => [
  { title: 'ID', of: ({ id }) => id },
  { title: 'URL', of: ({ url }) => url },
  {
    title: 'EVENTS',
    of: ({ types, severity }) => [types?.join(','), severity && `${severity} and above`].filter(Boolean).join('; ') || 'all',
  },
  { title: 'ZONES', of: ({ zones }) => (zones === 'all' ? zones : zones.join(',')) },
  { title: 'STATUS', of: ({ status }) => status, paint: ({ status }) => paintOf(status === 'enabled' ? 'valid' : 'dead') },
  { title: 'BECAUSE', of: ({ because }) => because ?? '' },
  { title: 'ADDED', align: 'right', of: ({ createdAt }) => ago(createdAt, now) },
];
