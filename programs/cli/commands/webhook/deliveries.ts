import { Option } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import { DeliveryView, type WebhookView } from '../../../../lib/webhooks/routes.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { ago, dated } from '../../output/moments.ts';
import { paintOf } from '../../output/paint.ts';
import type { Column } from '../../output/table.ts';
import { limited, showList } from '../../pages.ts';
import { webhookId, webhookIdHelp } from './id.ts';

type Options = { limit: number; status?: DeliveryView['status'] };

/** `webhook deliveries`: lists deliveries, past and due. */
export const deliveries: Verb = (noun, cli) => {
  const command = limited(noun.command('deliveries').argument('<id>', webhookIdHelp, webhookId))
    .description('List deliveries, past and due, the newest event first, with the result of the last attempt')
    .addOption(new Option('--status <status>', 'only those with this status').choices(DeliveryView.shape.status.options))
    .action(async (id: WebhookView['id'], { limit, status }: Options) => {
      const asked = status ? { status } : {};
      await showList(
        cli,
        limit,
        async (at) => (await cli.call(contract.listDeliveries, { params: { id }, query: { ...at, ...asked } })).body,
        {
          columns,
          empty: 'no deliveries',
        },
      );
    });
  examples(command, cli.terminal.name, ['webhook deliveries 7q2m4k9x0c3d --limit 20'], ['webhook deliveries 7q2m4k9x0c3d --status dead']);
};

const columns = (now: number): readonly Column<DeliveryView>[] => [
  { title: 'EVENT', of: ({ event }) => event },
  { title: 'TYPE', of: ({ type }) => type },
  { title: 'AT', align: 'right', of: ({ at }) => ago(at, now) },
  { title: 'STATUS', of: ({ status }) => status, paint: ({ status }) => paintOf(status === 'delivered' ? 'done' : status) },
  { title: 'TRIED', align: 'right', of: ({ attempts }) => String(attempts) },
  { title: 'BECAUSE', of: ({ because }) => because ?? '' },
  { title: 'NEXT', of: ({ nextAt }) => dated(nextAt, now) ?? '' },
];
