import { Refusal } from '../../../api/problem.ts';
import { dayMs, type EpochMs, plusMs } from '../../../core/time.ts';
import { rightsOf, scopesOf } from '../../../identity/rights.ts';
import { covers } from '../../../identity/scopes.ts';
import { isSecret, type MintedSecret, mintSecret, parseSecret } from '../../../identity/secret-text.ts';
import { apiKeyList } from '../../../ports/table/keys.ts';
import { apply } from '../../../runtime/apply.ts';
import { applyPlan } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { HttpRequest } from '../../../runtime/function.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import { read, readRow } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { refuseUnknown } from '../../../zones/reads/found.ts';
import { forgetKey, hasEndedWithMaker, isLocked, keyNow } from '../../known-keys.ts';
import { listPage } from '../../list-page.ts';
import { generationsMax } from '../../subjects/rows/lineage.ts';
import { type AdminCall, type AdminCaller, attempted, lacking, notTaken } from '../../verify-admin.ts';
import { needsEverywhere } from '../../zones-of-caller.ts';
import { type ApiKey, type ApiKeyId, apiKeyRef, keyDays, lineageOf, linkForMs, linkLeftMs, sessionForMs, statusOf } from '../api-key.ts';
import { type ApiKeyCommand, decideApiKey, planSignIn } from '../decide.ts';
import { apiKeyView } from '../view.ts';
import { madeWith } from './made-with.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/**
 * Makes an API key with some of what the caller may do, in zones that there are, and answers its secret, this once; who
 * was let in by a link makes none.
 */
export async function createKey({ body, request, caller }: AdminCall<'createKey'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'security');
  const { name, scopes, zones = 'all' } = body;
  const rights = rightsOf(scopes, zones);
  if (!covers(caller.rights, rights)) {
    const wanted = scopes.find((scope) => !covers(caller.rights, rightsOf([scope], zones)))!;
    throw lacking(wanted, `nobody gives what he does not have: ${caller.name} lacks the scope ${wanted} there`);
  }
  await ownDoor(shell, caller, 'API keys, which would outlive it');
  if (zones !== 'all') await Promise.all(zones.map((zone) => refuseUnknown(shell, zone, caller)));
  if (caller.makes.keys.length >= generationsMax)
    throw new Refusal(
      'refused',
      `${generationsMax} keys were made one with the other: make this one with an earlier one, or sign in yourself`,
    );
  const minted = mintSecret('mak', shell.randomBytes);
  const key = keyOfSecret(minted, { kind: 'key', name, rights, who: `key:${minted.id}`, ...lifeOf(body, shell.now()) }, caller);
  const made = await order(shell, key.id, { type: 'make', id: request.id, key });
  return { status: 201, body: { secret: minted.text, key: apiKeyView(made ?? key, shell.now()) } };
}

/**
 * From now until when a key that is asked for lives. Throws a {@link Refusal} for an end that is too near or too far.
 */
function lifeOf(
  { expires, expiresInDays = keyDays.usual }: { expires?: string | undefined; expiresInDays?: number | undefined },
  now: EpochMs,
) {
  const expiresAt = expires === undefined ? plusMs(now, expiresInDays * dayMs) : (Date.parse(expires) as EpochMs);
  if (expiresAt > now && expiresAt <= now + keyDays.max * dayMs) return { createdAt: now, expiresAt };
  const detail = `a key ends within ${keyDays.max} days, and not before now`;
  throw new Refusal('invalid', `/expires: ${detail}`, { errors: [{ pointer: '/expires', detail }] });
}

/** API keys and sessions, by id; a page may be short. */
export async function listKeys({ query, caller }: AdminCall<'listKeys'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'security');
  return listPage<ApiKey>(shell, { list: apiKeyList, signature: 'keys' }, query, apiKeyView);
}

/**
 * Revokes a key or a link, or ends a session, with all that was let in by links of it; with `withMade` ends all that
 * was made with it, in any generation. A dry run says what that is.
 */
export async function revokeKey({ params, body, request, caller }: AdminCall<'revokeKey'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'security');
  const { withMade, dryRun } = body;
  const { id } = params;
  const key = dryRun ? await keyNow(shell, id) : await order(shell, id, { type: 'revoke', id: request.id, withMade });
  if (!key) throw new Refusal('unknown-key', `no key has the id ${id}, or it ended long ago`);
  if (!withMade) return { status: 200, body: apiKeyView(key, shell.now()) };
  const made = await madeWith(shell, ({ keys }) => keys.includes(id));
  if (!dryRun) for (const { end } of made) await end(shell, request.id);
  return { status: 200, body: { ...apiKeyView(key, shell.now()), made: made.map(({ view }) => view) } };
}

/**
 * Ends the caller's own session. Throws a {@link Refusal} that says where anything else ends by which somebody came.
 */
export async function signOut({ request, caller }: AdminCall<'signOut'>, shell: Shell): Promise<Answer> {
  const { who, key: id } = caller.actor!;
  if (id === undefined)
    throw new Refusal(
      'refused',
      who === 'operator'
        ? "this is no session: the operator's secret ends when its host stops"
        : 'this is no session of Muster: the sign-in at the issuer ends there, and this token by itself',
    );
  const own = await read(shell, apiKeyRef(id));
  if (own?.kind === 'key') throw new Refusal('refused', `this is no session: an API key ends by muster key revoke ${id}`);
  const ended = own && (await order(shell, id, { type: 'revoke', id: request.id }));
  if (!ended) throw notTaken('the session has ended already');
  return { status: 200, body: apiKeyView(ended, shell.now()) };
}

/**
 * Makes a link by which somebody signs in once, with what the caller may do, and no longer than what the caller has
 * shown holds; who was let in by a link makes none.
 */
export async function createSignInLink({ request, caller }: AdminCall<'createSignInLink'>, shell: Shell): Promise<Answer> {
  const by = await ownDoor(shell, caller, 'links');
  const now = shell.now();
  const { name, rights, expiresAt: until } = caller;
  if (until !== undefined && until - now < linkLeftMs)
    throw new Refusal('refused', 'the token of this call ends within a minute, and what a link lets in with it: renew it first');
  const minted = mintSecret('msl', shell.randomBytes);
  const life = { createdAt: now, expiresAt: Math.min(plusMs(now, linkForMs), until ?? Number.POSITIVE_INFINITY) as EpochMs };
  const ends = { ...(by && { parent: by.id }), ...(until !== undefined && { until }) };
  const of = { kind: 'link', name, rights, who: caller.actor!.who, ...life, ...ends } as const;
  await order(shell, minted.id, { type: 'make', id: request.id, key: keyOfSecret(minted, of, caller) });
  return { status: 201, body: { link: `${originOf(request)}/sign-in#${minted.text}`, expires: iso(life.expiresAt) } };
}

/**
 * The key or session that a caller has shown; undefined for whom the issuer vouches, and for the operator. Throws a
 * {@link Refusal} for who was let in by a link: what he made would not end with what let him in.
 */
async function ownDoor(shell: Shell, { actor }: AdminCaller, what: string): Promise<ApiKey | undefined> {
  const by = actor?.key === undefined ? undefined : await read(shell, apiKeyRef(actor.key));
  if (by?.parent || by?.until !== undefined)
    throw new Refusal('refused', `a session that began by the link of another makes no ${what}: sign in yourself`);
  return by;
}

/** Where the caller has reached us. Away from loopback everybody speaks TLS. */
function originOf(request: HttpRequest): string {
  const host = request.header('host') ?? 'localhost';
  const isLoopback = /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d+)?$/i.test(host);
  const told = request.header('x-forwarded-proto');
  const scheme = told === 'http' || told === 'https' ? told : isLoopback ? 'http' : 'https';
  return `${scheme}://${host}`;
}

/** Burns a link, and answers the session that it is for. */
export async function signIn({ body, request, caller }: AdminCall<'signIn'>, shell: Shell): Promise<Answer> {
  const minted = mintSecret('mst', shell.randomBytes);
  const session = await begun(shell, body.secret, minted, request);
  if (typeof session !== 'string')
    return { status: 201, body: { token: minted.text, expires: iso(session.expiresAt), name: session.name } };
  const route = { scope: 'anyone', method: request.method as 'POST', path: request.path } as const;
  await attempted({ id: request.id, source: caller.source }, route, 'bearer-invalid', session, shell);
  throw notTaken(session);
}

/** The session that begins by this secret; or why none does. */
async function begun(shell: Shell, secret: string, minted: MintedSecret, { id, source }: HttpRequest): Promise<ApiKey | string> {
  const parts = parseSecret(secret, 'msl');
  if (parts === 'mistyped') return 'the secret was mistyped or cut short: its last letters do not belong to it';
  const gone = 'the link is not valid: it is wrong, used or older than 10 min';
  if (parts === 'no-secret') return gone;
  const row = await readRow(shell, apiKeyRef(parts.id));
  const link = stateOf(row, shell.now());
  if (!link || !isSecret(parts.secret, link.hash)) return gone;
  const parent = link.parent && (await read(shell, apiKeyRef(link.parent)));
  if (link.parent && (!parent || statusOf(parent, shell.now()) !== 'valid')) return gone;
  const madeBy = lineageOf(link);
  if ((await isLocked(shell, link.who)) || (await hasEndedWithMaker(shell, madeBy, link.createdAt))) return gone;
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
  // Named for its own session: whoever else burns the same link in this moment is never taken for us.
  const plan = await applyPlan({ ...shell, actor }, { id: minted.id }, async (reading) => {
    const now = await reading.row(apiKeyRef(parts.id));
    const key = stateOf(now, shell.now());
    return key ? planSignIn({ key, rev: now!.rev }, session, shell.now()) : { changes: [], because: [gone] };
  });
  return plan.changes.length === 0 ? gone : session;
}

/** How people sign in here. */
export function waysToSignIn(_call: AdminCall<'waysToSignIn'>, shell: Shell): Answer {
  const { issuer, clientId, scopes } = shell.issuer?.public ?? {};
  return { status: 200, body: shell.issuer ? { methods: ['oidc', 'link'], issuer, clientId, scopes } : { methods: ['link'] } };
}

/** Who the caller is to Muster. */
export const whoAmI = ({ caller }: AdminCall<'whoAmI'>): Answer => {
  const { actor, name, rights } = caller;
  return {
    status: 200,
    body: { who: actor!.who, name, rights: Object.fromEntries(scopesOf(rights).map((scope) => [scope, rights[scope]])) },
  };
};

type Given = Pick<ApiKey, 'kind' | 'name' | 'rights' | 'who' | 'parent' | 'until' | 'createdAt' | 'expiresAt'>;
const keyOfSecret = ({ id, hash }: MintedSecret, given: Given, { actor, makes }: AdminCaller): ApiKey => ({
  id: id as ApiKeyId,
  hash,
  createdBy: actor!.who,
  madeBy: makes,
  ...given,
});

/** Carries an order out on a key; this environment knows of it at once, every other within seconds. */
async function order(shell: Shell, id: string, command: ApiKeyCommand): Promise<ApiKey | undefined> {
  const { state } = await apply(shell, apiKeyRef(id), command, decideApiKey);
  forgetKey(shell, id);
  return state;
}
