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
 * Makes an API key with some of the caller's rights, in zones that exist, and answers its secret this once. A session
 * that began by a link cannot make keys. Throws a {@link Refusal}.
 */
export async function createKey({ body, request, caller }: AdminCall<'createKey'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'security');
  const { name, scopes, zones = 'all' } = body;
  const rights = rightsOf(scopes, zones);
  if (!covers(caller.rights, rights)) {
    const wanted = scopes.find((scope) => !covers(caller.rights, rightsOf([scope], zones)))!;
    throw lacking(wanted, `you can only grant scopes that you hold: ${caller.name} lacks the scope ${wanted} there`);
  }
  await ownCredential(shell, caller, 'API keys, which would outlive it');
  if (zones !== 'all') await Promise.all(zones.map((zone) => refuseUnknown(shell, zone, caller)));
  if (caller.makes.keys.length >= generationsMax)
    throw new Refusal(
      'refused',
      `a chain of keys made one with the other has ${generationsMax} at the most: make this one with an earlier key, or sign in yourself`,
    );
  const minted = mintSecret('mak', shell.randomBytes);
  const key = keyOfSecret(minted, { kind: 'key', name, rights, who: `key:${minted.id}`, ...lifeOf(body, shell.now()) }, caller);
  const made = await order(shell, key.id, { type: 'make', id: request.id, key });
  return { status: 201, body: { secret: minted.text, key: apiKeyView(made ?? key, shell.now()) } };
}

/**
 * The life of a key that a call asks for: from now until its end. Throws a {@link Refusal} for an end that is too near
 * or too far.
 */
function lifeOf(
  { expires, expiresInDays = keyDays.usual }: { expires?: string | undefined; expiresInDays?: number | undefined },
  now: EpochMs,
) {
  const expiresAt = expires === undefined ? plusMs(now, expiresInDays * dayMs) : (Date.parse(expires) as EpochMs);
  if (expiresAt > now && expiresAt <= now + keyDays.max * dayMs) return { createdAt: now, expiresAt };
  const detail = `a key must end in the future, within ${keyDays.max} days`;
  throw new Refusal('invalid', `/expires: ${detail}`, { errors: [{ pointer: '/expires', detail }] });
}

/** API keys and sessions, by id; a page may be short. */
export async function listKeys({ query, caller }: AdminCall<'listKeys'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'security');
  return listPage<ApiKey>(shell, { list: apiKeyList, signature: 'keys' }, query, apiKeyView);
}

/**
 * Revokes a key or a link, or ends a session, with everything that its links let in. `withMade` also ends everything
 * that was made with it, in any generation. A dry run only lists that.
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

/** Ends the caller's own session. Throws a {@link Refusal} for any other credential, and says where that ends. */
export async function signOut({ request, caller }: AdminCall<'signOut'>, shell: Shell): Promise<Answer> {
  const { who, key: id } = caller.actor!;
  if (id === undefined)
    throw new Refusal(
      'refused',
      who === 'operator'
        ? "this is not a session: the operator's secret ends when its host stops"
        : 'this is not a session of Muster: sign out at the issuer; this token expires by itself',
    );
  const own = await read(shell, apiKeyRef(id));
  if (own?.kind === 'key') throw new Refusal('refused', `this is not a session: end an API key with muster key revoke ${id}`);
  const ended = own && (await order(shell, id, { type: 'revoke', id: request.id }));
  if (!ended) throw notTaken('the session has ended already');
  return { status: 200, body: apiKeyView(ended, shell.now()) };
}

/**
 * Makes a link by which somebody signs in once, with the caller's rights, and for no longer than the caller's own
 * credential is valid. A session that began by a link cannot make one. Throws a {@link Refusal}.
 */
export async function createSignInLink({ request, caller }: AdminCall<'createSignInLink'>, shell: Shell): Promise<Answer> {
  const by = await ownCredential(shell, caller, 'links');
  const now = shell.now();
  const { name, rights, expiresAt: until } = caller;
  if (until !== undefined && until - now < linkLeftMs)
    throw new Refusal(
      'refused',
      'the token of this call ends within a minute, and a session by the link would end with it: renew the token first',
    );
  const minted = mintSecret('msl', shell.randomBytes);
  const life = { createdAt: now, expiresAt: Math.min(plusMs(now, linkForMs), until ?? Number.POSITIVE_INFINITY) as EpochMs };
  const ends = { ...(by && { parent: by.id }), ...(until !== undefined && { until }) };
  const of = { kind: 'link', name, rights, who: caller.actor!.who, ...life, ...ends } as const;
  await order(shell, minted.id, { type: 'make', id: request.id, key: keyOfSecret(minted, of, caller) });
  return { status: 201, body: { link: `${originOf(request)}/sign-in#${minted.text}`, expires: iso(life.expiresAt) } };
}

/**
 * The key or session of a caller; undefined for a caller of the issuer, and for the operator. Throws a {@link Refusal}
 * for a session that began by a link: things that it made would not end with the credential that let it in.
 */
async function ownCredential(shell: Shell, { actor }: AdminCaller, what: string): Promise<ApiKey | undefined> {
  const by = actor?.key === undefined ? undefined : await read(shell, apiKeyRef(actor.key));
  if (by?.parent || by?.until !== undefined)
    throw new Refusal('refused', `a session that began by another's link cannot make ${what}: sign in yourself`);
  return by;
}

/** The origin at which the caller reached us. Away from loopback, every caller uses TLS. */
function originOf(request: HttpRequest): string {
  const host = request.header('host') ?? 'localhost';
  const isLoopback = /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d+)?$/i.test(host);
  const forwarded = request.header('x-forwarded-proto');
  const scheme = forwarded === 'http' || forwarded === 'https' ? forwarded : isLoopback ? 'http' : 'https';
  return `${scheme}://${host}`;
}

/** Burns a link, and answers the token of its session. */
export async function signIn({ body, request, caller }: AdminCall<'signIn'>, shell: Shell): Promise<Answer> {
  const minted = mintSecret('mst', shell.randomBytes);
  const session = await begun(shell, body.secret, minted, request);
  if (typeof session !== 'string')
    return { status: 201, body: { token: minted.text, expires: iso(session.expiresAt), name: session.name } };
  const route = { scope: 'anyone', method: request.method as 'POST', path: request.path } as const;
  await attempted({ id: request.id, source: caller.source }, route, 'bearer-invalid', session, shell);
  throw notTaken(session);
}

/** The session that begins by this secret, or the reason why none does. */
async function begun(shell: Shell, secret: string, minted: MintedSecret, { id, source }: HttpRequest): Promise<ApiKey | string> {
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

/** How people sign in here. */
export function waysToSignIn(_call: AdminCall<'waysToSignIn'>, shell: Shell): Answer {
  const { issuer, clientId, scopes } = shell.issuer?.public ?? {};
  return { status: 200, body: shell.issuer ? { methods: ['oidc', 'link'], issuer, clientId, scopes } : { methods: ['link'] } };
}

/** The caller's identity and rights. */
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

/** Carries out an order on a key. This environment knows of it at once, every other one within seconds. */
async function order(shell: Shell, id: string, command: ApiKeyCommand): Promise<ApiKey | undefined> {
  const { state } = await apply(shell, apiKeyRef(id), command, decideApiKey);
  forgetKey(shell, id);
  return state;
}
