import { createHash } from 'node:crypto';
import { takesIdempotencyKey } from '../api/openapi-headers.ts';
import { Refusal } from '../api/problem.ts';
import type { Route } from '../api/route.ts';
import { write } from '../decision.ts';
import { Conflict } from '../errors.ts';
import { keyOf } from '../table/keys.ts';
import type { Row } from '../table/table.ts';
import { dayMs, plusMs } from '../units.ts';
import { contentOf, stateOf } from './content.ts';
import type { HttpRequest, Reply } from './function.ts';
import type { Shell } from './shell.ts';

/** What is remembered under an Idempotency-Key: which call, since when it is being answered if it is, and its answer once there is one. */
type Remembered = { readonly call: string; readonly startedAt?: number; readonly reply?: Reply };

/** How long an answer is remembered. */
const rememberForMs = dayMs;
/** After this long an unanswered call is taken to have died with its environment, and may be made again: a door's time-out and some. */
const startedForMs = 30_000;

/**
 * Makes a POST of the API with an Idempotency-Key once: the same call again is given the first answer. Throws a {@link Refusal} when the
 * key was used for another call, or while the first is still being answered. A call that was refused or failed may be made again at once.
 * Calls without the header go straight through.
 */
export async function idempotently(shell: Shell, route: Route, request: HttpRequest, handle: () => Promise<Reply>): Promise<Reply> {
  const key = request.header('idempotency-key');
  if (!key || !takesIdempotencyKey(route)) return handle();
  if (key.length > 200) throw new Refusal('invalid', 'an Idempotency-Key has at most 200 characters');
  // Each caller has its own keys: nobody is given the answer to somebody else's call. The first space ends the name, which may have had others.
  const who = shell.actor?.who.replaceAll(/[ %]/g, encodeURIComponent) ?? '';
  const ref = { noun: 'idempotency', id: `${who} ${key}` };
  const call = createHash('sha256').update(`${request.method} ${request.path}?${request.query}\n${request.body}`).digest('hex');
  const row = await shell.table.read(keyOf(ref));
  const before = stateOf<Remembered>(row, shell.now());
  if (before && before.call !== call) throw new Refusal('idempotency-mismatch', `this Idempotency-Key was used for another call`);
  if (before?.reply) return before.reply;
  if (before?.startedAt !== undefined && shell.now() - before.startedAt < startedForMs) throw inProgress();
  const started = await remember(shell, ref, row, { call, startedAt: shell.now() });
  try {
    const reply = await handle();
    await remember(shell, ref, started, { call, reply });
    return reply;
  } catch (error) {
    // Weather here only makes the caller wait until the call is taken to have died.
    await remember(shell, ref, started, { call }).catch(() => undefined);
    throw error;
  }
}

async function remember(shell: Shell, ref: { noun: string; id: string }, row: Row | undefined, body: Remembered): Promise<Row> {
  const at = shell.now();
  const by = shell.newId();
  const put = contentOf(ref, row, write(body, 'an idempotent call', { expiresAt: plusMs(at, rememberForMs) }), { by, at, exact: true })!;
  const readRev = row?.rev ?? 0;
  try {
    await shell.table.commit([{ put, readRev }]);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    const now = await shell.table.read(keyOf(ref));
    // Our own commit, whose answer was lost before the table was asked again.
    if (now?.by !== by || now.rev !== readRev + 1) throw inProgress();
  }
  return { ...put, rev: readRev + 1 };
}

const inProgress = (): Refusal =>
  new Refusal('in-progress', 'a call with this Idempotency-Key is being answered', { headers: { 'retry-after': '1' } });
