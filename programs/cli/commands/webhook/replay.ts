import { InvalidArgumentError } from 'commander';
import type { BodyInputOf } from '../../../../lib/api/route.ts';
import { contract } from '../../../../lib/contract.ts';
import type { WebhookView } from '../../../../lib/webhooks/routes.ts';
import { count, moment, spanMs } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { webhookId, webhookIdHelp } from './id.ts';

type Options = { since?: string; dead?: true; subject?: string; fromNumber?: number };

/** `webhook replay`: deliver once more. */
export const replay: Verb = (noun, cli) => {
  const command = noun
    .command('replay')
    .argument('<id>', webhookIdHelp, webhookId)
    .description('Deliver once more: what was sent of events since a moment, or all that one subject concluded from a number on')
    .option('--since <time>', 'events since then: a moment such as 2026-05-01T18:00:00Z, or a span such as 2h ago', since)
    .option('--dead', 'of those only what was given up')
    .option('--subject <subject>', 'whose events, such as node/n0123456789abcdef')
    .option('--from-number <n>', 'from this eventseq of the subject on', count)
    .action(async (id: WebhookView['id'], { since: asked, dead, subject, fromNumber }: Options) => {
      if ((asked === undefined) === (subject === undefined) || (subject === undefined) !== (fromNumber === undefined))
        throw new Failure(exitCodes.usage, 'either --since, or --subject with --from-number is wanted', 'Give --since 2h');
      const what: BodyInputOf<typeof contract.replayDeliveries> =
        asked === undefined
          ? { subject, fromNumber }
          : {
              since: asked.startsWith('-') ? new Date(cli.terminal.now() + Number(asked)).toISOString() : asked,
              ...(dead && { status: 'dead' }),
            };
      let replayed = 0;
      let after: string | undefined;
      do {
        const { body } = await cli.call(contract.replayDeliveries, {
          params: { id },
          body: { ...what, ...(after !== undefined && { after }) },
        });
        replayed += body.replayed;
        after = body.next;
      } while (after !== undefined);
      cli.show({ replayed }, () => `${replayed} events are delivered once more\n`);
    });
  examples(
    command,
    cli.terminal.name,
    ['webhook replay 7q2m4k9x0c3d --since 2h --dead', 'what was given up within two hours'],
    ['webhook replay 7q2m4k9x0c3d --subject node/n0123456789abcdef --from-number 17', 'for whoever finds a hole in eventseq'],
  );
};

/** A moment; or a span before now, in ms below zero until it is known when now is. */
function since(text: string): string {
  if (/^\d{4}-/.test(text)) return moment(text);
  const ms = spanMs(text);
  if (ms <= 0) throw new InvalidArgumentError('It lies before now.');
  return String(-ms);
}
