import { Refusal } from '../../../api/problem.ts';
import { dayMs, type EpochMs, plusMs } from '../../../core/time.ts';
import { rightsOf, scopesOf } from '../../../identity/rights.ts';
import { covers } from '../../../identity/scopes.ts';
import { type MintedSecret, mintSecret } from '../../../identity/secret-text.ts';
import { apiKeyList } from '../../../ports/table/keys.ts';
import { apply } from '../../../runtime/apply.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import { read } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { refuseUnknown } from '../../../zones/reads/found.ts';
import { forgetKey, keyNow } from '../../known-keys.ts';
import { listPage } from '../../list-page.ts';
import { originOf } from '../../origin.ts';
import { generationsMax } from '../../subjects/rows/lineage.ts';
import { type AdminCall, type AdminCaller, lacking, notTaken } from '../../verify-admin.ts';
import { needsEverywhere } from '../../zones-of-caller.ts';
import { type ApiKey, type ApiKeyId, apiKeyRef, keyDays, linkForMs, linkLeftMs } from '../api-key.ts';
import { type ApiKeyCommand, decideApiKey } from '../decide.ts';
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
export async function order(shell: Shell, id: string, command: ApiKeyCommand): Promise<ApiKey | undefined> {
  const { state } = await apply(shell, apiKeyRef(id), command, decideApiKey);
  forgetKey(shell, id);
  return state;
}
