import { wiring } from '../../infra/wiring.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import type { Envelope } from '../../lib/ports/bus/bus.ts';
import type { Message, QueueName } from '../../lib/ports/queue/queue.ts';
import { type Attributes, attributesOf, rowOf } from '../../lib/ports/table/attributes.ts';
import { parseAttributes, printAttributes } from '../../lib/ports/table/json.ts';
import { nameOf, type Row } from '../../lib/ports/table/table.ts';
import type { FeedFunction, MusterFunction, QueueFunction, ScheduleFunction } from '../../lib/runtime/function.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { handlersOf } from '../../programs/local/functions.ts';
import { aShell, type TestShell } from '../../tools/support/a-shell.ts';
import { isOfEveryone } from '../../tools/support/everyone.ts';
import { withOperator } from '../../tools/support/operator.ts';
import { seeded } from '../../tools/support/seeded.ts';
import { environmentOf } from '../../tools/support/stepped.ts';
import type { History, Input, RecordedCall } from './history.ts';
import { withProof } from './minions.ts';
import { Signers } from './signers.ts';

/** Functions by the names of the wiring. */
export type Functions = ReadonlyMap<string, MusterFunction>;

/** How a history ends: when, every row, and everything that was published. */
export type End = { readonly at: EpochMs; readonly rows: readonly Row[]; readonly published: readonly Envelope[] };

/** Makes a history happen again, by these functions, in a new deployment. Time goes as it went, and every function has its own environment. */
export async function replay({ settings, inputs }: History, functions: Functions): Promise<End> {
  const deployment = new Deployment(functions, aShell(settings));
  for (const input of inputs) await deployment.take(input);
  return deployment.end();
}

/** A deployment to which only happens what is recorded. What its doors send is dropped: the history has the messages. */
class Deployment {
  readonly #functions: Functions;
  readonly #shell: TestShell;
  readonly #environments: ReadonlyMap<string, Shell>;
  readonly #signers = new Signers();
  #published = 0;

  constructor(functions: Functions, shell: TestShell) {
    let ids = 0;
    // Ids of calls and messages are recorded; those made here are never among them.
    const newId = (): string => `replayed-${++ids}`;
    this.#functions = functions;
    this.#shell = { ...shell, newId, random: seeded(1) };
    this.#environments = new Map([...functions.keys()].map((name) => [name, environmentOf(this.#shell, name)]));
  }

  async take(input: Input): Promise<void> {
    if ('sweeps' in input) return this.#sweep(input);
    this.#moveTo(input.at);
    if ('call' in input) await this.#call(input.call);
    else await this.#handOver(input.from, input.messages);
    await this.#publish();
  }

  end = (): End => ({
    at: this.#shell.now(),
    rows: [...this.#shell.table.rows.values()].filter((row) => !isOfEveryone(row)).sort((a, b) => (nameOf(a.key) < nameOf(b.key) ? -1 : 1)),
    published: this.#shell.bus.published,
  });

  #moveTo = (at: EpochMs): void => this.#shell.step(at - this.#shell.now());

  async #sweep({ at, sweeps, everyMs }: Extract<Input, { sweeps: number }>): Promise<void> {
    for (let left = sweeps - 1; left >= 0; left--) {
      this.#moveTo((at - left * everyMs) as EpochMs);
      for (const [name, fn] of this.#all<ScheduleFunction>('schedule')) await fn.handle('message', this.#environments.get(name)!);
      await this.#publish();
    }
  }

  async #call({ headers, ...recorded }: RecordedCall): Promise<void> {
    // What is signed is recorded as it was, to the letter.
    const call = 'signature' in headers ? recorded : { ...recorded, body: withProof(recorded.body) };
    const { handler } = handlersOf(this.#functions).find(({ prefix }) => call.path.startsWith(prefix))!;
    const [name] = [...this.#functions].find(([, fn]) => fn === handler)!;
    const { deployment } = this.#shell.settings;
    const signature = 'signature' in headers ? {} : this.#signers.headersOf(call, { deployment, nowMs: this.#shell.now() });
    const sent = withOperator(call.path, { ...headers, ...signature });
    await handler.handle({ ...call, header: (one) => sent[one] }, this.#environments.get(name)!);
  }

  async #handOver(from: QueueName, messages: readonly Message[]): Promise<void> {
    const [name, fn] = this.#all<QueueFunction>('queue').find(([consumer]) => wiring.functions[consumer]?.queue === from)!;
    await fn.handle(messages, this.#environments.get(name)!);
  }

  async #publish(): Promise<void> {
    const images = this.#shell.table.feed.slice(this.#published);
    this.#published += images.length;
    if (images.length === 0) return;
    for (const [name, fn] of this.#all<FeedFunction>('feed')) await fn.handle(images, this.#environments.get(name)!);
  }

  #all = <F extends MusterFunction>(on: F['on']): [string, F][] =>
    [...this.#functions].filter((entry): entry is [string, F] => entry[1].on === on);
}

/** An end as it is frozen, a row or event a line; `knows` are the events that there were at the time, `because` the decision it rests on. */
export function printEnd({ at, rows, published }: End, knows: readonly string[], because?: string): string {
  const head = { at, ...(because !== undefined && { because }), knows };
  const lines = (all: readonly string[]): string => all.map((one) => `\n  ${one}`).join(',');
  const stored = lines(rows.map((row) => printAttributes(attributesOf(row, row.rev))));
  return `${JSON.stringify(head).slice(0, -1)},\n"rows":[${stored}\n],\n"published":[${lines(published.map((one) => JSON.stringify(one)))}\n]}\n`;
}

/** The end that {@link printEnd} made this text of. */
export function readEnd(text: string): End & { readonly knows: readonly string[]; readonly because?: string } {
  const { rows, ...end } = JSON.parse(text) as Omit<ReturnType<typeof readEnd>, 'rows'> & { rows: Attributes[] };
  return { ...end, rows: rows.map((row) => rowOf(parseAttributes(JSON.stringify(row)))) };
}
