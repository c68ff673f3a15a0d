import { contract } from '../../../../lib/contract.ts';
import type { WebhookView } from '../../../../lib/webhooks/routes.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { printable } from '../../output/printable.ts';
import { webhookId, webhookIdHelp } from './id.ts';

/** `webhook test`: sends one event now. */
export const test: Verb = (noun, cli) => {
  const command = noun
    .command('test')
    .argument('<id>', webhookIdHelp, webhookId)
    .description('Send one signed event of the type webhook.test now, once, and show the result')
    .action(async (id: WebhookView['id']) => {
      const { body } = await cli.call(contract.testWebhook, { params: { id }, body: {} });
      cli.show(body, () => `${body.delivered ? 'delivered' : 'not delivered'}: ${printable(body.because)}, after ${body.ms} ms\n`);
      if (!body.delivered) throw new Failure(exitCodes.failed, 'the test event was not delivered', 'The reason is in the line above');
    });
  examples(command, cli.terminal.name, ['webhook test 7q2m4k9x0c3d']);
};
