import type { Command } from 'commander';
import type { BodyInputOf, ReplyOf } from '../../../../lib/api/route.ts';
import type { contract } from '../../../../lib/contract.ts';
import { DeadLetterId, type DeadLetterView, deadLettersMax } from '../../../../lib/dead-letters/routes.ts';
import { as } from '../../arguments.ts';
import type { Cli } from '../../cli.ts';
import { exitCodes, Failure, refuseUndone } from '../../exit-codes.ts';
import { paintOf } from '../../output/paint.ts';
import { codeOption, queueOption } from './ls.ts';

type Reply = ReplyOf<typeof contract.dropDeadLetters>;
/** The dead letters of one call. */
type Chosen = BodyInputOf<typeof contract.dropDeadLetters>;
/** The choice of dead letters on the command line. */
export type Choice = { readonly code?: string; readonly queue?: DeadLetterView['queue'] };

/** The id of a dead letter. */
export const deadLetterId = as(DeadLetterId, 'the id of a dead letter, as `dlq list` shows it');
const deadLetterIds = (text: string, before: readonly string[] = []): string[] => [...before, deadLetterId(text)];

/** Adds the arguments of a verb that works on dead letters: their ids, or a code. */
export const onDeadLetters = (command: Command): Command =>
  command
    .argument('[id...]', 'their ids, as `dlq list` shows them', deadLetterIds)
    .addOption(codeOption('every one with the status dead whose latest error has this code'))
    .addOption(queueOption());

/** Throws a {@link Failure} unless either ids are given or a code. */
export function wantChoice(ids: readonly string[], { code, queue }: Choice): void {
  const isChoice = ids.length > 0 ? code === undefined && queue === undefined : code !== undefined;
  if (!isChoice) throw new Failure(exitCodes.usage, 'the command needs either ids or --code', 'List dead letters: dlq list');
}

type Order = (some: Chosen) => Promise<{ body: Reply }>;

/**
 * Carries out `order` on any number of dead letters, 100 a call, or on those of a code page by page. Shows the result
 * for each; if a call fails, for those before it. Throws a {@link Failure} if any was left undone, so that the exit
 * code tells the truth.
 */
export async function onEach(cli: Cli, ids: readonly string[], choice: Choice, done: string, order: Order): Promise<void> {
  const results: Reply['results'] = [];
  const show = (): void => cli.show({ results }, () => resultsText(cli, results, done));
  try {
    for await (const some of ids.length > 0 ? byIds(ids, order) : byCode(choice, order)) results.push(...some);
  } catch (error) {
    if (results.length > 0) show();
    throw error;
  }
  show();
  refuseUndone(results, done);
  cli.say(results.length === 0 ? 'no dead letter matches' : `${results.length} ${done}`);
}

async function* byIds(ids: readonly string[], order: Order): AsyncGenerator<Reply['results']> {
  for (let at = 0; at < ids.length; at += deadLettersMax) yield (await order({ ids: ids.slice(at, at + deadLettersMax) })).body.results;
}

async function* byCode(choice: Choice, order: Order): AsyncGenerator<Reply['results']> {
  let cursor: string | undefined;
  do {
    const { body } = await order({ ...choice, ...(cursor !== undefined && { cursor }) });
    yield body.results;
    cursor = body.next;
  } while (cursor !== undefined);
}

const resultsText = (cli: Cli, results: Reply['results'], done: string): string =>
  cli.table(results, [
    { title: 'ID', of: ({ id }) => id },
    { title: 'RESULT', of: (result) => (result.done ? done : `not ${done}`), paint: (result) => paintOf(result.done ? 'done' : 'refused') },
    { title: 'BECAUSE', of: ({ because }) => because },
  ]);
