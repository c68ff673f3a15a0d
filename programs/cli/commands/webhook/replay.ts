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

/** `webhook replay`: delivers events once more. */
export const replay: Verb = (noun, cli) => {
  const command = noun
    .command('replay')
    .argument('<id>', webhookIdHelp, webhookId)
    .description('Deliver events once more: those that were sent since a moment, or all events of one subject from a number on')
    .option('--since <time>', 'events since a moment, such as 2026-05-01T18:00:00Z, or within a span, such as 2h', since)
    .option('--dead', 'with --since: only events that were given up')
    .option('--subject <subject>', 'the subject of the events, such as node/n0123456789abcdef')
    .option('--from-number <n>', 'with --subject: the eventseq of the first event', count)
    .action(async (id: WebhookView['id'], { since: asked, dead, subject, fromNumber }: Options) => {
      if ((asked === undefined) === (subject === undefined) || (subject === undefined) !== (fromNumber === undefined))
        throw new Failure(exitCodes.usage, 'the command needs either --since, or --subject with --from-number', 'Give --since 2h');
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
    ['webhook replay 7q2m4k9x0c3d --since 2h --dead', 'events that were given up within two hours'],
    ['webhook replay 7q2m4k9x0c3d --subject node/n0123456789abcdef --from-number 17', 'to fill a gap in eventseq'],
  );
};

/** A moment, or a span before now: as ms below zero, until it is known when now is. */
function since(text: string): string {
  if (/^\d{4}-/.test(text)) return moment(text);
  const ms = spanMs(text);
  if (ms <= 0) throw new InvalidArgumentError('It must lie before now.');
  return String(-ms);
}
