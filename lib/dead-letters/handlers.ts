import type { AdminCall } from '../access/verify-admin.ts';
import { needsEverywhere } from '../access/zones-of-caller.ts';
import { Refusal } from '../api/problem.ts';
import { Later } from '../core/errors.ts';
import type { EpochMs } from '../core/time.ts';
import { deadLetterLists } from '../ports/table/keys.ts';
import { stateOf } from '../runtime/content.ts';
import { cursorAt, positionOf } from '../runtime/cursors.ts';
import { readDeadLetter } from '../runtime/dead.ts';
import { type DeadLetter, expiresAtOf, type Failure, upToDate } from '../runtime/dead-letter.ts';
import type { Answer } from '../runtime/on-route.ts';
import { readAll } from '../runtime/read-all.ts';
import { drop, type Outcome, redrive } from '../runtime/redrive.ts';
import type { Shell } from '../runtime/shell.ts';
import { type DeadLetterView, deadLettersMax } from './routes.ts';

type Listed = Exclude<DeadLetter, { status: 'dropped' }>;

/**
 * Dead letters, then those that were given back. Filters apply to the rows themselves; index entries are only a hint.
 * The two lists are read one after the other: a dead letter that moves in the meantime may be in both or, when it dies
 * again at once, in none.
 */
export async function listDeadLetters({ query, caller }: AdminCall<'listDeadLetters'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'read');
  const { cursor, limit, status, ...filters } = query;
  const statuses = status === undefined ? (['dead', 'redriven'] as const) : [status];
  const signature = `dead letters ${JSON.stringify({ status, ...filters })}`;
  const { deadLetters, next } = await pageOf(shell, { statuses, ...filters }, { cursor, limit, signature });
  return { status: 200, body: { items: deadLetters.map(viewOf), ...(next !== undefined && { next }) } };
}

/** One dead letter with its message. */
export async function getDeadLetter({ params: { id }, caller }: AdminCall<'getDeadLetter'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'read');
  const deadLetter = await readDeadLetter(shell, id);
  if (!deadLetter) throw new Refusal('unknown-dead-letter', `no dead letter has the id ${id}, or it has expired`);
  if (deadLetter.status === 'dropped') throw new Refusal('unknown-dead-letter', `${id} was dropped at ${moment(deadLetter.dropped.at)}`);
  return { status: 200, body: { ...viewOf(deadLetter), message: deadLetter.message } };
}

/** Gives dead letters back, each by itself. A failure is reported for its dead letter, and does not stop the others. */
export async function redriveDeadLetters({ body, request, caller }: AdminCall<'redriveDeadLetters'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'operate');
  const { again, ...chosen } = body;
  const statuses = again ? (['dead', 'redriven'] as const) : (['dead'] as const);
  return ordered(shell, { ...chosen, statuses, once: true, signature: `redrive ${again}` }, request.id, (id) =>
    redrive(shell, id, { by: request.id, again }),
  );
}

/** Drops dead letters, each by itself. */
export async function dropDeadLetters({ body, request, caller }: AdminCall<'dropDeadLetters'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'operate');
  return ordered(shell, { ...body, statuses: ['dead'], signature: 'drop' }, request.id, (id) => drop(shell, id, request.id));
}

type Chosen = Filter & { readonly ids?: readonly string[] | undefined; readonly cursor?: string | undefined; readonly signature: string };

/** Carries out an order on the chosen dead letters: by their ids, or page by page. */
async function ordered(shell: Shell, chosen: Chosen, call: string, order: (id: string) => Promise<Outcome>): Promise<Answer> {
  const { ids, cursor, signature, ...filter } = chosen;
  const at = { cursor, limit: deadLettersMax, signature: `${signature} ${JSON.stringify(filter)}` };
  const page = ids ? { ids } : await idsOf(shell, filter, at);
  // A dead letter may be named twice, and may be on a page twice when another call gives it back in the meantime.
  const results = await Promise.all([...new Set(page.ids)].map((id) => one(shell, id, call, order)));
  return { status: 200, body: { results, ...('next' in page && { next: page.next }) } };
}

type Result = Outcome & { readonly id: string; readonly busy?: true };

/**
 * A failure is the result of one dead letter, like any other result. A failed call would hide what was done to the
 * others, and would never get past this one.
 */
async function one(shell: Shell, id: string, call: string, order: (id: string) => Promise<Outcome>): Promise<Result> {
  try {
    return { id, ...(await order(id)) };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    if (error instanceof Later) {
      shell.log('warn', 'door.refused', { id: call, type: error.code, detail });
      return { id, done: false, busy: true, because: 'busy, try again' };
    }
    shell.log('error', 'door.failed', { id: call, letter: id, detail, stack: error instanceof Error ? error.stack : undefined });
    return { id, done: false, because: `something unexpected happened; the log has more under ${call}` };
  }
}

async function idsOf(shell: Shell, filter: Filter, at: Position): Promise<{ ids: string[]; next?: string }> {
  const { deadLetters, next } = await pageOf(shell, filter, at);
  return { ids: deadLetters.map(({ id }) => id), ...(next !== undefined && { next }) };
}

type Filter = {
  readonly statuses: readonly Listed['status'][];
  readonly queue?: DeadLetter['queue'] | undefined;
  readonly code?: string | undefined;
  /**
   * Leaves out dead letters that were given back since the first page: an earlier page did that, and they are in
   * another list now.
   */
  readonly once?: true;
};
type Position = { readonly cursor: string | undefined; readonly limit: number; readonly signature: string };

/**
 * How many rows one page reads, each up to 256 KB. A filter that matches few gives short pages, and a cursor to
 * continue.
 */
const rowsReadMax = 100;

/**
 * Dead letters from the cursor on. Every list has them by id, so that an order does not meet one twice when it dies
 * again in the meantime.
 */
async function pageOf(
  shell: Shell,
  filter: Filter,
  { cursor, limit, signature }: Position,
): Promise<{ deadLetters: Listed[]; next?: string }> {
  const lists = filter.statuses.flatMap((status) => deadLetterLists[status].map((pk) => ({ status, pk })));
  const position = await positionOf(shell, cursor, signature);
  const isFirst = position === undefined;
  let [since, at, after] = isFirst ? [shell.now(), 0, undefined] : parted(position);
  const isWanted = (deadLetter: DeadLetter, status: Listed['status']): deadLetter is Listed =>
    deadLetter.status === status &&
    holds(deadLetter, filter) &&
    (isFirst || !filter.once || !deadLetter.redriven || deadLetter.redriven.at < since);
  const deadLetters: Listed[] = [];
  for (let rowsRead = 0; at < lists.length; ) {
    const want = Math.min(limit - deadLetters.length, rowsReadMax - rowsRead);
    if (want <= 0) return { deadLetters, next: await cursorAt(shell, `${since}/${at}/${after ?? ''}`, signature) };
    const { status, pk } = lists[at]!;
    const page = await shell.table.queryIndex({ index: 'list', pk, limit: want, ...(after !== undefined && { after }) });
    rowsRead += page.items.length;
    const keys = page.items.map((entry) => entry.key);
    deadLetters.push(...(await deadLettersAt(shell, keys)).filter((deadLetter) => isWanted(deadLetter, status)));
    after = page.next;
    if (after === undefined) at++;
  }
  return { deadLetters };
}

/**
 * When the first page was read, the list, and the place in it. The place is last, because it may hold a slash itself.
 */
const parted = (position: string): [number, number, string | undefined] => {
  const [since, at, ...after] = position.split('/');
  return [Number(since), Number(at), after.join('/') || undefined];
};

const deadLettersAt = async (shell: Shell, keys: Parameters<typeof readAll>[1]): Promise<DeadLetter[]> =>
  (await readAll(shell, keys)).flatMap((row) => {
    const stored = stateOf<DeadLetter>(row, shell.now());
    return stored ? [upToDate(stored)] : [];
  });

const holds = (deadLetter: DeadLetter, { queue, code }: Filter): boolean =>
  (queue === undefined || deadLetter.queue === queue) && (code === undefined || deadLetter.last.code === code);

function viewOf(deadLetter: Listed): DeadLetterView {
  const { id, status, queue, via, sentAt, deaths, receives, first, last, bytes, cut = false, redriven } = deadLetter;
  return {
    id,
    status,
    queue,
    via,
    sentAt: moment(sentAt),
    deaths,
    receives,
    first: failure(first),
    last: failure(last),
    bytes,
    cut,
    ...(redriven && { redriven: { ...redriven, at: moment(redriven.at) } }),
    expiresAt: moment(expiresAtOf(deadLetter)),
  };
}

const failure = ({ code, reason, at }: Failure) => ({ code, reason, at: moment(at) });
const moment = (at: EpochMs): string => new Date(at).toISOString();
