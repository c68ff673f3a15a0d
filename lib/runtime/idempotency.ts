import { createHash } from 'node:crypto';
import { takesIdempotencyKey } from '../api/idempotency-key.ts';
import { Refusal } from '../api/problem.ts';
import type { Route } from '../api/route.ts';
import { type Decision, isSame, type RowRef, write } from '../core/decision.ts';
import { Conflict } from '../core/errors.ts';
import { dayMs, plusMs } from '../core/time.ts';
import type { Row } from '../ports/table/table.ts';
import { contentOf, stateOf } from './content.ts';
import type { HttpRequest } from './function.ts';
import { readRow } from './read.ts';
import type { Reply } from './reply.ts';
import type { Shell } from './shell.ts';

/**
 * The record of an Idempotency-Key: the call, since when it is being answered if it is, and its answer once there is
 * one.
 */
type Remembered = { readonly call: string; readonly startedAt?: number; readonly reply?: Reply };

/** How long an answer is remembered. */
const rememberForMs = dayMs;
/**
 * After this long an unanswered call counts as dead with its environment, and may be made again: an endpoint's time-out
 * and some.
 */
const startedForMs = 30_000;
/** The attempts to store an answer: within some 3 s, while the caller waits for it. */
const keepsMax = 6;

/**
 * Carries out a POST of the API with an Idempotency-Key once: a repeat of the call gets the first answer. Throws a
 * {@link Refusal} when the key was used for another call, or while the first is still being answered. A call whose
 * handler refused or failed may be made again at once; one that was carried out may not, even if its answer could not
 * be stored. A call that dies meanwhile may be made again after a while: a handler that must do nothing twice commits
 * its answer with its changes (`answering`). Calls without the header go straight through.
 */
export async function idempotently(
  shell: Shell,
  route: Route,
  request: HttpRequest,
  handle: (shell: Shell) => Promise<Reply>,
): Promise<Reply> {
  const key = request.header('idempotency-key');
  if (key === undefined || !takesIdempotencyKey(route)) return handle(shell);
  // An empty key is refused: the caller meant to be protected, and its script has lost the key.
  if (key === '' || key.length > 200) throw new Refusal('invalid', 'the Idempotency-Key must have 1 to 200 characters');
  // Each caller has its own keys, so that no caller gets the answer to another's call. Spaces in the name are encoded,
  // since the first space ends it.
  const who = shell.actor?.who.replaceAll(/[ %]/g, encodeURIComponent) ?? '';
  const ref = { noun: 'idempotency', id: `${who} ${key}` };
  const call = createHash('sha256').update(`${request.method} ${request.path}?${request.query}\n${request.body}`).digest('hex');
  const row = await readRow(shell, ref);
  const before = stateOf<Remembered>(row, shell.now());
  if (before && before.call !== call)
    throw new Refusal('idempotency-mismatch', `this Idempotency-Key was used for another call: use a new key for each call`);
  if (before?.reply) return before.reply;
  if (before?.startedAt !== undefined && shell.now() - before.startedAt < startedForMs) throw inProgress();
  const started = await remember(shell, ref, row, { call, startedAt: shell.now() });
  const answering: Shell['answering'] = (answer) => ({
    ref,
    readRev: started.rev,
    decision: remembering({ call, reply: answer }, shell),
    besides: true,
  });
  const reply = await handle({ ...shell, answering }).catch(async (error: unknown) => {
    // A transient failure here only makes the caller wait until the call counts as dead.
    await remember(shell, ref, started, { call }).catch(() => undefined);
    throw error;
  });
  await keep(shell, ref, started, { call, reply });
  return reply;
}

/**
 * Stores the answer of a call that was carried out. If the table does not take it, the caller still gets the answer,
 * because it is true. The key stays taken, so that a repeat of the call meanwhile is refused with `in-progress`, and
 * does nothing twice.
 */
async function keep(shell: Shell, ref: RowRef, started: Row, body: Remembered): Promise<void> {
  const by = shell.newId();
  for (let attempt = 1; ; attempt++) {
    const failure = await remember(shell, ref, started, body, by).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return;
    if (attempt === keepsMax) {
      const detail = failure instanceof Error ? failure.message : String(failure);
      return shell.log('warn', 'idempotency.unkept', { row: `${ref.noun} ${ref.id}`, attempts: attempt, detail });
    }
    await shell.sleep(shell.random() * 50 * 2 ** attempt);
  }
}

async function remember(shell: Shell, ref: RowRef, row: Row | undefined, body: Remembered, by = shell.newId()): Promise<Row> {
  const at = shell.now();
  const put = contentOf(ref, row, remembering(body, shell), { by, at, exact: true })!;
  const readRev = row?.rev ?? 0;
  try {
    await shell.table.commit([{ put, readRev }]);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    const now = await readRow(shell, ref);
    // Our own commit, whose answer was lost before the SDK repeated it; or the changes of the call were committed with
    // its answer.
    const isOurs = now?.by === by && now.rev === readRev + 1;
    const isAnswered = body.reply !== undefined && isSame(stateOf(now, at), body);
    if (!isOurs && !isAnswered) throw inProgress();
  }
  return { ...put, rev: readRev + 1 };
}

const remembering = (body: Remembered, { now }: Pick<Shell, 'now'>): Decision<Remembered> =>
  write<Remembered, never>(body, 'an idempotent call', { expiresAt: plusMs(now(), rememberForMs) });

const inProgress = (): Refusal =>
  new Refusal('in-progress', 'a call with this Idempotency-Key is still being answered: try again later', {
    headers: { 'retry-after': '1' },
  });
