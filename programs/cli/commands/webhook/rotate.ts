import { contract } from '../../../../lib/contract.ts';
import type { WebhookView } from '../../../../lib/webhooks/routes.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { webhookId, webhookIdHelp } from './id.ts';

/** `webhook rotate`: signs with a new secret. */
export const rotate: Verb = (noun, cli) => {
  const command = noun
    .command('rotate')
    .argument('<id>', webhookIdHelp, webhookId)
    .description(
      'Sign with a new secret. Prints only the secret to standard output. For a day each delivery also carries a signature of the previous secret',
    )
    .action(async (id: WebhookView['id']) => {
      const { body } = await cli.call(contract.rotateWebhook, { params: { id }, body: {} });
      cli.show(body, () => `${body.secret}\n`);
      cli.say('give it to the receiver within a day; until then the previous secret signs too');
    });
  examples(command, cli.terminal.name, ['webhook rotate 7q2m4k9x0c3d > webhook.secret']);
};
