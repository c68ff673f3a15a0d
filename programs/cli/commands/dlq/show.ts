import { contract } from '../../../../lib/contract.ts';
import type { DeadLetterWhole } from '../../../../lib/dead-letters/routes.ts';
import type { Cli, Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { dated } from '../../output/moments.ts';
import { painted, paintOf } from '../../output/paint.ts';
import { printable } from '../../output/printable.ts';
import { deadLetterId } from './chosen.ts';

/** `dlq show`: shows one dead letter with its message. */
export const show: Verb = (noun, cli) => {
  const command = noun
    .command('show')
    .argument('<id>', 'its id, as `dlq list` shows it', deadLetterId)
    .description('Show one dead letter: its first and last error, what became of it, and its message')
    .action(async (id: string) => {
      const { body } = await cli.call(contract.getDeadLetter, { params: { id } });
      cli.show(body, () => page(body, cli));
    });
  examples(
    command,
    cli.terminal.name,
    ['dlq show 0f8b3f5e-6c1d-4c57-9a43-0d9a2f1c7b11'],
    ["dlq show 'zone#default#head@17' --json | jq -j .message > message", 'unchanged, and into a file: a terminal might obey it'],
  );
};

const came = { door: 'by an endpoint', bus: 'by the ingest bus', feed: 'events of a row that could not be published' } as const;

function page(deadLetter: DeadLetterWhole, cli: Cli): string {
  const now = cli.terminal.now();
  const { id, status, queue, via, first, last, deaths, receives, redriven, bytes, cut } = deadLetter;
  return `${printable(id)} is ${painted(status, paintOf(status), cli.terminal.colours.out)}\n${cli.details({
    because: last.reason,
    code: last.code,
    died: dated(last.at, now),
    'first error': deaths > 1 ? `${first.code}, ${dated(first.at, now)}: ${first.reason}` : undefined,
    deaths: `${deaths}, received ${receives === 1 ? 'once' : `${receives} times`}`,
    queue: `${queue}, ${came[via]}`,
    sent: dated(deadLetter.sentAt, now),
    'given back': redriven && `${dated(redriven.at, now)}, attempt ${redriven.attempt}, by the call ${redriven.by}`,
    'kept until': dated(deadLetter.expiresAt, now),
    message: cut ? `only the beginning of ${bytes} B, so it cannot be given back` : `${bytes} B`,
  })}${messageText(deadLetter.message)}`;
}

/** A message indented where it is JSON, and harmless to a terminal line by line. */
const messageText = (message: string): string =>
  pretty(message)
    .split('\n')
    .map((line) => `${printable(line)}\n`)
    .join('');

function pretty(message: string): string {
  try {
    return JSON.stringify(JSON.parse(message), undefined, 2);
  } catch {
    return message;
  }
}
