import type { adminRoutes } from '../admin-contract.ts';
import { type ProblemType, Refusal } from '../api/problem.ts';
import type { Route } from '../api/route.ts';
import { EpochMs, lastMs } from '../core/time.ts';
import { type AdminScope, adminScopes, type Reach, type Rights, rightsOf } from '../identity/rights.ts';
import { inFull } from '../identity/scopes.ts';
import { isSecret, parseSecret } from '../identity/secret-text.ts';
import { InvalidToken } from '../ports/issuer/issuer.ts';
import { apply } from '../runtime/apply.ts';
import { recordAttempt } from '../runtime/attempts.ts';
import type { HttpRequest } from '../runtime/function.ts';
import type { Call } from '../runtime/on-route.ts';
import type { Shell } from '../runtime/shell.ts';
import type { Caller, Verify } from '../runtime/verify.ts';
import { type ApiKey, apiKeyRef, lineageOf } from './api-keys/api-key.ts';
import { type ApiKeyCommand, decideApiKey, isWorthRecording } from './api-keys/decide.ts';
import { bearerOf } from './bearer-of.ts';
import { forgetKey, isGood, isLocked, keyNow } from './known-keys.ts';
import { type Lineage, whoOf } from './subjects/rows/lineage.ts';

/** An administrator or a program that has proved its identity. */
export type AdminCaller = Caller & {
  readonly who: 'admin' | 'anyone';
  /** Its display name, never used for decisions. */
  readonly name: string;
  /** The scopes that it holds and where, including the scopes that each one brings with it. */
  readonly rights: Rights;
  /** Where it holds the scope of the route that it calls. Things of other zones do not exist for it. */
  readonly zones: Reach;
  /** The other zones whose things this call has looked for so far. */
  readonly reached?: Set<string>;
  /** The lineage of anything that this caller makes: by whom, and with which keys. */
  readonly makes: Lineage;
  /**
   * When the caller's token of the issuer ends. Absent for keys and sessions of our table, which is read again for each
   * call.
   */
  readonly expiresAt?: EpochMs;
};

/** A call of a route of the admin API, as its handler receives it. */
export type AdminCall<N extends keyof typeof adminRoutes> = Call<(typeof adminRoutes)[N], AdminCaller>;

/** An identified caller, before its rights are checked. `endsAt` is when its session, key or token ends. */
export type Known = Pick<AdminCaller, 'name' | 'rights' | 'makes' | 'expiresAt'> & {
  readonly who: string;
  readonly key?: string;
  readonly endsAt: EpochMs;
};

/** The fields of a route that decide who may call it. */
type Guarded = Pick<Route, 'scope' | 'method' | 'path'>;

/**
 * Identifies the caller of the admin API by the bearer token in `authorization` (RFC 6750), or in the session cookie of
 * our own page: the operator's secret of this deployment, an API key, a session, or a token of the issuer. Throws a
 * {@link Refusal}: 401 for an unknown caller, 403 for a caller that lacks the route's scope everywhere.
 */
export const verifyAdmin: Verify<AdminCaller> = (request, route, _params, shell) => callerOf(request, route, shell);

/** The caller of anything that requires a scope, as {@link verifyAdmin} gives it. */
export async function callerOf(request: HttpRequest, route: Guarded, shell: Shell): Promise<AdminCaller> {
  const { source } = request;
  if (route.scope === 'anyone')
    return { who: 'anyone', source, name: '', rights: {}, zones: [], reached: new Set(), makes: { who: 'anyone', keys: [] } };
  const known = await identified(request, route, shell);
  const rights = inFull(known.rights);
  const scope = route.scope as AdminScope;
  const zones = rights[scope] ?? [];
  if (zones.length === 0) {
    const refusal = lacking(scope, `this call needs the scope ${scope}, which ${known.name || known.who} does not have`);
    await attempted(request, route, refusal.type, refusal.message, shell, known);
    throw refusal;
  }
  const actor = { who: known.who, source, request: request.id, ...(known.key !== undefined && { key: known.key }) };
  const { name, makes, expiresAt } = known;
  return { who: 'admin', source, name, rights, zones, reached: new Set(), makes, actor, ...(expiresAt !== undefined && { expiresAt }) };
}

/** The refusal of a known caller that lacks `scope`, here or everywhere. */
export const lacking = (scope: AdminScope, detail: string): Refusal =>
  new Refusal('insufficient-scope', detail, {
    headers: { 'www-authenticate': `Bearer realm="muster", error="insufficient_scope", scope="${scope}"` },
  });

/** The refusal of an invalid token or secret. */
export const notTaken = (detail: string): Refusal =>
  new Refusal('bearer-invalid', detail, { headers: { 'www-authenticate': 'Bearer realm="muster", error="invalid_token"' } });

async function identified(request: HttpRequest, route: Guarded, shell: Shell): Promise<Known> {
  const bearer = bearerOf(request);
  if (!bearer)
    throw new Refusal('sign-in-needed', 'this call needs a bearer token: sign in with muster login, or send an API key', {
      headers: { 'www-authenticate': 'Bearer realm="muster"' },
    });
  const known = bearer.isCookie ? await knownByCookie(bearer.token, shell) : await knownBy(bearer.token, shell);
  if (typeof known !== 'string') return known;
  await attempted(request, route, 'bearer-invalid', known, shell);
  throw notTaken(known);
}

/**
 * The person that a session cookie stands for, or why it is refused. A cookie is never a key or the operator's secret:
 * Muster sets none of these, so somebody else did.
 */
export async function knownByCookie(token: string | undefined, shell: Shell): Promise<Known | string> {
  const known = token?.startsWith('mak_') ? undefined : await knownBy(token, shell);
  return known === undefined || known === operator ? 'the cookie is not a session of Muster' : known;
}

/**
 * The caller that a bearer token stands for, or why the token is refused. The reason does not reveal whether a key
 * exists.
 */
async function knownBy(token: string | undefined, shell: Shell): Promise<Known | string> {
  if (token === undefined) return 'the header authorization is not of the form Bearer <token>';
  if (token.split('.').length === 3) return ofIssuer(token, shell);
  const prefix = token.startsWith('mak_') ? 'mak' : 'mst';
  const parts = parseSecret(token, prefix);
  if (parts === 'mistyped') return 'the token was mistyped or cut short: its last letters, the checksum, do not match';
  if (parts === 'no-secret') return 'the token is not one that Muster makes';
  if (prefix === 'mst' && shell.operatorHash !== undefined && isSecret(parts.secret, shell.operatorHash)) return operator;
  const key = await keyNow(shell, parts.id);
  const isOurs = key !== undefined && key.kind === (prefix === 'mak' ? 'key' : 'session') && isSecret(parts.secret, key.hash);
  if (!isOurs || !(await isGood(key, shell))) return 'the token is not valid: it is wrong, expired or revoked';
  await noteUse(shell, key);
  const made = lineageOf(key);
  const makes = { ...made, keys: [...made.keys, key.id] };
  return { who: key.who, name: key.name, rights: key.rights, key: key.id, makes, endsAt: key.expiresAt };
}

/** Anyone who can read the state folder of a deployment can do everything with it anyway. */
const operator: Known = {
  who: 'operator',
  name: 'operator',
  rights: rightsOf(adminScopes, 'all'),
  makes: { who: 'operator', keys: [] },
  endsAt: EpochMs.parse(lastMs),
};

async function ofIssuer(token: string, shell: Shell): Promise<Known | string> {
  if (!shell.issuer) return 'this deployment has no issuer: it accepts no token of one';
  try {
    const { subject, ...known } = await shell.issuer.verify(token);
    const who = whoOf(subject);
    if (await isLocked(shell, who)) return 'the subject of the token is locked here: ask an administrator';
    return { who, makes: { who, keys: [] }, ...known, endsAt: known.expiresAt };
  } catch (error) {
    if (error instanceof InvalidToken) return error.message;
    throw error;
  }
}

/** Records that a key is in use. A failed write neither delays nor refuses the call. */
async function noteUse(shell: Shell, key: ApiKey): Promise<void> {
  if (!isWorthRecording(key, shell.now())) return;
  try {
    const command: ApiKeyCommand = { type: 'used', id: shell.newId() };
    await apply(shell, apiKeyRef(key.id), command, decideApiKey);
    forgetKey(shell, key.id);
  } catch (error) {
    shell.log('warn', 'key.use-unnoted', { key: key.id, detail: error instanceof Error ? error.message : String(error) });
  }
}

/** Records a refused call for the audit. */
export const attempted = (
  request: Pick<HttpRequest, 'id' | 'source'>,
  route: Guarded,
  type: ProblemType,
  detail: string,
  shell: Shell,
  known?: Known,
): Promise<void> =>
  recordAttempt(shell, { request, route, type, detail, ...(known && { who: known.who, ...(known.key && { key: known.key }) }) });
