import { type EpochMs, plusMs } from '../../../core/time.ts';
import { isSecret, type MintedSecret, mintSecret, parseSecret } from '../../../identity/secret-text.ts';
import { applyPlan } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { HttpRequest } from '../../../runtime/function.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import { read, readRow } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { hasEndedWithMaker, isLocked } from '../../known-keys.ts';
import { type AdminCall, attempted, notTaken } from '../../verify-admin.ts';
import { type ApiKey, type ApiKeyId, apiKeyRef, lineageOf, sessionForMs, statusOf } from '../api-key.ts';
import { planSignIn } from '../decide.ts';

/** A session that has begun, and the token that stands for it. */
export type Begun = { readonly session: ApiKey; readonly token: string };

/** Burns a link, and answers the token of its session. */
export async function signIn({ body, request }: AdminCall<'signIn'>, shell: Shell): Promise<Answer> {
  const { session, token } = await beginByLink(shell, body.secret, request);
  return { status: 201, body: { token, expires: new Date(session.expiresAt).toISOString(), name: session.name } };
}

/**
 * Begins a session by the secret of a link, which is used up then. `admits` can refuse the holder of a valid link: it
 * throws, and the link stays as it was. Throws a {@link Refusal} for a link that is not valid, and records the attempt.
 */
export async function beginByLink(
  shell: Shell,
  secret: string,
  request: HttpRequest,
  admits: (link: ApiKey) => void = () => undefined,
): Promise<Begun> {
  const minted = mintSecret('mst', shell.randomBytes);
  const session = await begun(shell, secret, { minted, request, admits });
  if (typeof session !== 'string') return { session, token: minted.text };
  const route = { scope: 'anyone', method: request.method as 'POST', path: request.path } as const;
  await attempted({ id: request.id, source: request.source }, route, 'bearer-invalid', session, shell);
  throw notTaken(session);
}

type With = { readonly minted: MintedSecret; readonly request: HttpRequest; readonly admits: (link: ApiKey) => void };

/** The session that begins by this secret, or the reason why none does. */
async function begun(shell: Shell, secret: string, { minted, request: { id, source }, admits }: With): Promise<ApiKey | string> {
  const parts = parseSecret(secret, 'msl');
  if (parts === 'mistyped') return 'the secret was mistyped or cut short: its last letters, the checksum, do not match';
  const gone = 'the link is not valid: it is wrong, used or older than 10 min';
  if (parts === 'no-secret') return gone;
  const row = await readRow(shell, apiKeyRef(parts.id));
  const link = stateOf(row, shell.now());
  if (!link || !isSecret(parts.secret, link.hash)) return gone;
  const parent = link.parent && (await read(shell, apiKeyRef(link.parent)));
  if (link.parent && (!parent || statusOf(parent, shell.now()) !== 'valid')) return gone;
  const madeBy = lineageOf(link);
  if ((await isLocked(shell, link.who)) || (await hasEndedWithMaker(shell, madeBy, link.createdAt))) return gone;
  if (link.kind !== 'link' || statusOf(link, shell.now()) !== 'valid') return gone;
  admits(link);
  const now = shell.now();
  const session: ApiKey = {
    ...link,
    id: minted.id as ApiKeyId,
    hash: minted.hash,
    kind: 'session',
    createdAt: now,
    madeBy: { ...madeBy, keys: [...madeBy.keys, link.id] },
    expiresAt: Math.min(plusMs(now, sessionForMs), ...[parent?.expiresAt, link.until].filter((end) => end !== undefined)) as EpochMs,
  };
  const actor = { who: link.who, key: link.id, source, request: id };
  // The plan has the id of its own session: a commit of another call that burns the same link at this moment is never
  // mistaken for ours.
  const plan = await applyPlan({ ...shell, actor }, { id: minted.id }, async (reading) => {
    const now = await reading.row(apiKeyRef(parts.id));
    const key = stateOf(now, shell.now());
    return key ? planSignIn({ key, rev: now!.rev }, session, shell.now()) : { changes: [], because: [gone] };
  });
  return plan.changes.length === 0 ? gone : session;
}
