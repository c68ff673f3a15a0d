import { contract } from '../../../../lib/contract.ts';
import type { WebhookView } from '../../../../lib/webhooks/routes.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { webhookId, webhookIdHelp } from './id.ts';

/** `webhook rotate`: sign by a new secret. */
export const rotate: Verb = (noun, cli) => {
  const command = noun
    .command('rotate')
    .argument('<id>', webhookIdHelp, webhookId)
    .description(
      'Sign by a new secret, which stands alone on standard output. For a day each delivery carries a signature of the one before, too',
    )
    .action(async (id: WebhookView['id']) => {
      const { body } = await cli.call(contract.rotateWebhook, { params: { id }, body: {} });
      cli.show(body, () => `${body.secret}\n`);
      cli.say('give it to whoever receives within a day; the secret before signs until then');
    });
  examples(command, cli.terminal.name, ['webhook rotate 7q2m4k9x0c3d > webhook.secret']);
};
