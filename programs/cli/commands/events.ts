import { count } from '../arguments.ts';
import type { Verb } from '../cli.ts';
import { exitCodes, Failure } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { toTheSecond } from '../output/moments.ts';
import { printable } from '../output/printable.ts';

type Options = { type: readonly string[]; after?: string; count?: number; follow?: true };
/** A published event as the stream hands it out. */
type Envelope = { readonly type: string; readonly subject: string; readonly time: string; readonly data: unknown };

/** `events`: prints events as the deployment publishes them. */
export const events: Verb = (program, cli) => {
  const command = program
    .command('events')
    .option(
      '--type <type>',
      'only events whose type begins with this, such as node. or client.accepted; may be given several times',
      types,
      [],
    )
    .option('--after <id>', 'continue after the event of this id, as --json prints it')
    .option('--count <n>', 'end after this many events', count)
    .option('--follow', 'continue until Ctrl-C, which is the default')
    .description('Print events as the deployment publishes them, one a line, until Ctrl-C')
    .action(async ({ type, after, count: most = Number.POSITIVE_INFINITY }: Options) => {
      const stop = new AbortController();
      const release = cli.terminal.onInterrupt(() => stop.abort());
      let printed = 0;
      try {
        for await (const { id, event } of streamed(await cli.request('GET', '/api/v1/events', opened(after, stop.signal)))) {
          if (type.length > 0 && !type.some((begin) => event.type.startsWith(begin))) continue;
          cli.terminal.out(cli.isJson() ? `${JSON.stringify({ streamId: id, ...event })}\n` : line(event));
          printed += 1;
          if (printed >= most) return;
        }
      } catch (error) {
        if (!stop.signal.aborted) throw error;
      } finally {
        release();
        stop.abort();
      }
    });
  examples(
    command,
    cli.terminal.name,
    ['events'],
    ['events --type node. --type zone.'],
    ['events --json --count 1 --type client.accepted', 'wait for the next acceptance'],
  );
};

const types = (text: string, before: readonly string[]): string[] => [...before, text];

const opened = (after: string | undefined, signal: AbortSignal) => ({
  headers: after === undefined ? [] : [`last-event-id: ${after}`],
  signal,
});

const line = ({ time, type, subject, data }: Envelope): string =>
  `${toTheSecond(time)}  ${printable(type.padEnd(24))}  ${printable(subject)}  ${printable(JSON.stringify(data))}\n`;

/** The events of an answer, as they come. Throws a {@link Failure} for a deployment that has no stream. */
async function* streamed(response: Response): AsyncGenerator<{ readonly id: string; readonly event: Envelope }> {
  if (response.status === 404)
    throw new Failure(
      exitCodes.failed,
      'this deployment has no stream of events; only an embedded host has one',
      'On AWS, receive events by a rule on the bus: docs/react-to-events.md',
    );
  if (!response.ok || !response.body)
    throw new Failure(exitCodes.failed, `the deployment answered ${response.status} to the call for its stream of events`);
  let left = '';
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (left + part).split('\n\n');
    left = blocks.pop()!;
    for (const block of blocks) {
      const field = (name: string): string | undefined => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
      const data = field('data');
      if (data !== undefined) yield { id: field('id') ?? '', event: JSON.parse(data) as Envelope };
    }
  }
}
