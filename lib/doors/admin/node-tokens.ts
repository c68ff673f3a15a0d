import { isOneName, readPattern } from '../../admission/pattern.ts';
import type { adminRoutes } from '../../api/admin-routes.ts';
import { Refusal } from '../../api/problem.ts';
import type { BodyOf } from '../../api/route.ts';
import { mintSecret } from '../../identity/secret-text.ts';
import type { TokenCommand } from '../../join-tokens/command.ts';
import { decide } from '../../join-tokens/decide.ts';
import { bootstrapForMs, type JoinToken, oneTimeForMs, type TokenId } from '../../join-tokens/join-token.ts';
import { tokenView } from '../../join-tokens/view.ts';
import { apply } from '../../runtime/apply.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import { admissionLists, keyOf } from '../../table/keys.ts';
import { dayMs, type EpochMs, plusMs } from '../../units.ts';
import type { AdminCall } from '../verify-admin.ts';
import { admissionZone } from './admission-zone.ts';
import { cursorAt, positionOf } from './cursors.ts';
import { seesZone } from './zones-of-caller.ts';

type Routes = typeof adminRoutes;

/** How long a token for a set of hosts lives when nobody says. */
const bootstrapDefaultMs = 30 * dayMs;

/** Makes a join token. The secret is in this answer and nowhere else: a call that is repeated makes another. */
export async function createNodeToken({ body, request, caller }: AdminCall<'createNodeToken'>, shell: Shell): Promise<Answer> {
  const now = shell.now();
  const expiresAt = endOf(body, now);
  const zone = await admissionZone(shell, body.zone, caller);
  const { id, text, hash } = mintSecret('mjt', shell.randomBytes);
  const { nodes, kind, uses, cidr } = body;
  const token: JoinToken = {
    ...{ id: id as TokenId, hash, nodes, kind, zone, uses, createdAt: now, expiresAt, admitted: [] },
    ...(cidr !== undefined && { cidr }),
  };
  await apply<JoinToken, TokenCommand & { id: string }>(shell, refOf(id), { type: 'create', id: request.id, token }, decide);
  return { status: 201, body: { secret: text, token: tokenView(token, now) }, headers: { 'cache-control': 'no-store' } };
}

/** When a token ends: one for a single name within the hour, and it is used once. Throws a {@link Refusal} for what a token cannot be. */
function endOf({ nodes, uses, expiresAt: given }: BodyOf<Routes['createNodeToken']>, now: EpochMs): EpochMs {
  const isOneTime = isOneName(readPattern(nodes) ?? []);
  if (isOneTime && uses !== 1) throw notTaken('/uses', 'a token for one name is used once; for more hosts give a pattern of names');
  const [longestMs, usualMs] = isOneTime ? [oneTimeForMs, oneTimeForMs] : [bootstrapForMs, bootstrapDefaultMs];
  const expiresAt = given === undefined ? plusMs(now, usualMs) : (Date.parse(given) as EpochMs);
  if (expiresAt <= now) throw notTaken('/expiresAt', 'a moment that has passed');
  if (expiresAt > plusMs(now, longestMs))
    throw notTaken('/expiresAt', isOneTime ? 'a token for one name ends within an hour' : 'a token ends within a year');
  return expiresAt;
}

const notTaken = (pointer: string, detail: string): Refusal =>
  new Refusal('invalid', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });

/** Tokens by id, the newest and the oldest among each other; index entries are only a hint, every row is read again. */
export async function listNodeTokens({ query, caller }: AdminCall<'listNodeTokens'>, shell: Shell): Promise<Answer> {
  const signature = 'node tokens';
  const after = await positionOf(shell, query.cursor, signature);
  const page = await shell.table.queryIndex({
    index: 'list',
    pk: admissionLists.tokens,
    limit: query.limit,
    ...(after !== undefined && { after }),
  });
  const rows = await readAll(
    shell,
    page.items.map(({ key }) => key),
  );
  const now = shell.now();
  const items = rows.flatMap((row) => {
    const token = stateOf<JoinToken>(row, now);
    return token && seesZone(caller, token.zone) ? [tokenView(token, now)] : [];
  });
  return { status: 200, body: { items, ...(page.next !== undefined && { next: await cursorAt(shell, page.next, signature) }) } };
}

/** Revokes a token; one that is revoked already stays as it was. */
export async function revokeNodeToken({ params, request, caller }: AdminCall<'revokeNodeToken'>, shell: Shell): Promise<Answer> {
  const token = stateOf<JoinToken>(await shell.table.read(keyOf(refOf(params.id))), shell.now());
  const unknown = () => new Refusal('unknown-token', `no join token has the id ${params.id}, or it ended more than a month ago`);
  if (!token || !seesZone(caller, token.zone)) throw unknown();
  const command = { type: 'revoke', id: request.id } as const;
  const { state } = await apply<JoinToken, TokenCommand & { id: string }>(shell, refOf(params.id), command, decide);
  if (!state) throw unknown();
  return { status: 200, body: tokenView(state, shell.now()) };
}

const refOf = (id: string) => ({ noun: 'join-token', id });
