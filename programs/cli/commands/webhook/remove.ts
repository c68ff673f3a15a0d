import { contract } from '../../../../lib/contract.ts';
import type { WebhookView } from '../../../../lib/webhooks/routes.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { printable } from '../../output/printable.ts';
import { renamed } from '../../verbs.ts';
import { webhookId, webhookIdHelp } from './id.ts';

/** `webhook delete`: ends deliveries to a URL. */
export const remove: Verb = (noun, cli) => {
  const command = renamed(noun, 'delete', 'remove')
    .argument('<id>', webhookIdHelp, webhookId)
    .description('Delete a webhook: deliveries to its URL end, and those that wait are given up. Asks first, unless --yes')
    .action(async (id: WebhookView['id']) => {
      await cli.confirm(`Delete webhook ${id}?`);
      const { body } = await cli.call(contract.removeWebhook, { params: { id }, body: {} });
      cli.show(body, () => `webhook ${body.id}, to ${printable(body.url)}, is deleted\n`);
    });
  examples(command, cli.terminal.name, ['webhook delete 7q2m4k9x0c3d']);
};
