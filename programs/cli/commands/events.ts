import { contract } from '../../../lib/contract.ts';
import { secondMs } from '../../../lib/core/time.ts';
import { ago, count } from '../arguments.ts';
import type { Cli, Verb } from '../cli.ts';
import { exitCodes, Failure } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { toTheSecond } from '../output/moments.ts';
import { printable } from '../output/printable.ts';

type Options = { type: readonly string[]; after?: string; since?: (now: number) => string; count?: number; follow: boolean };
/** A published event as the stream and the journal hand it out. */
type Envelope = {
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly because?: string | undefined;
  readonly data: unknown;
};
/** An event, and its id in the stream if it comes from there. */
type Shown = { readonly id?: string; readonly event: Envelope };

/** How often the journal is asked what is new, in ms, and the most events that it gives at once. */
const everyMs = 3 * secondMs;
const pageMax = 200;

/** `events`: prints events as the deployment publishes them, or from the journal. */
export const events: Verb = (program, cli) => {
  const command = program
    .command('events')
    .option(
      '--type <type>',
      'only events whose type begins with this, such as node. or client.accepted; may be given several times',
      types,
      [],
    )
    .option('--since <moment>', 'begin with the events since a moment of the last 24 h, or for a span such as 10m', ago)
    .option('--after <id>', 'continue after the event of this id, as --json prints it')
    .option('--count <n>', 'end after this many events', count)
    .option('--follow', 'continue until Ctrl-C, which is the default', true)
    .option('--no-follow', 'end after the events that are there already; needs --since')
    .description('Print events as the deployment publishes them, one a line, until Ctrl-C')
    .action(async ({ type, count: most = Number.POSITIVE_INFINITY, ...from }: Options) => {
      const stop = new AbortController();
      const release = cli.terminal.onInterrupt(() => stop.abort());
      let printed = 0;
      try {
        for await (const { id, event } of shown(cli, from, stop.signal)) {
          if (type.length > 0 && !type.some((begin) => event.type.startsWith(begin))) continue;
          cli.terminal.out(cli.isJson() ? `${JSON.stringify({ ...(id !== undefined && { streamId: id }), ...event })}\n` : line(event));
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
    ['events --since 10m --no-follow', 'what happened in the last ten minutes'],
    ['events --json --count 1 --type client.accepted', 'wait for the next acceptance'],
  );
};

/** The events from the stream; from the journal with `--since`, and where a deployment has no stream. */
async function* shown(cli: Cli, { after, since, follow }: Omit<Options, 'type' | 'count'>, signal: AbortSignal): AsyncGenerator<Shown> {
  if (since !== undefined && after !== undefined) throw new Failure(exitCodes.usage, 'give --since or --after, not both');
  if (since === undefined && !follow)
    throw new Failure(exitCodes.usage, '--no-follow needs --since: without it, only events to come are printed');
  if (since !== undefined) return yield* changed(cli, { since: since(cli.terminal.now()) }, follow, signal);
  const response = await cli.request('GET', '/api/v1/events', opened(after, signal));
  if (response.status !== 404) return yield* streamed(response);
  if (after === undefined) return yield* changed(cli, {}, true, signal);
  throw new Failure(
    exitCodes.failed,
    'this deployment has no stream of events to continue; only an embedded host has one',
    'Begin at a moment with --since',
  );
}

/** The events of the journal since a moment, or from now on; those to come too if it follows. */
async function* changed(cli: Cli, from: { readonly since?: string }, follow: boolean, signal: AbortSignal): AsyncGenerator<Shown> {
  for (let query: { since?: string; after?: string } = from; !signal.aborted; ) {
    const { body } = await cli.call(contract.listChanges, { query: { ...query, limit: pageMax } });
    for (const event of body.items) yield { event };
    if (!body.more) {
      if (!follow) return;
      await cli.terminal.sleep(everyMs, signal);
    }
    query = { after: body.next };
  }
}

const types = (text: string, before: readonly string[]): string[] => [...before, text];

const opened = (after: string | undefined, signal: AbortSignal) => ({
  headers: after === undefined ? [] : [`last-event-id: ${after}`],
  signal,
});

const line = ({ time, type, subject, because, data }: Envelope): string =>
  `${toTheSecond(time)}  ${printable(type.padEnd(24))}  ${printable(subject)}  ${printable(JSON.stringify(data))}${because === undefined ? '' : `  because ${printable(because)}`}\n`;

/** The events of an answer, as they come. */
async function* streamed(response: Response): AsyncGenerator<Shown> {
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
