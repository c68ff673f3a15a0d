import { contract } from '../../../../lib/contract.ts';
import type { WebhookView } from '../../../../lib/webhooks/routes.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { webhookId, webhookIdHelp } from './id.ts';

/** `webhook enable`: delivers again to a target that answered that it is gone. */
export const enable: Verb = (noun, cli) => {
  const command = noun
    .command('enable')
    .argument('<id>', webhookIdHelp, webhookId)
    .description('Deliver again to a target that answered 410. Events that it missed were given up: replay them')
    .action(async (id: WebhookView['id']) => {
      const { body } = await cli.call(contract.enableWebhook, { params: { id }, body: {} });
      cli.show(body, () => `webhook ${body.id} is ${body.status}\n`);
    });
  examples(command, cli.terminal.name, ['webhook enable 7q2m4k9x0c3d'], ['webhook replay 7q2m4k9x0c3d --since 2d --dead']);
};
