import { Refusal } from '../../../api/problem.ts';
import { scopesOf } from '../../../identity/rights.ts';
import { inFull } from '../../../identity/scopes.ts';
import type { HttpRequest } from '../../../runtime/function.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { order } from '../../api-keys/handlers/keys.ts';
import { beginByLink } from '../../api-keys/handlers/sign-in.ts';
import { sessionCookieOf } from '../../bearer-of.ts';
import { isOwnPage, reachedBy } from '../../origin.ts';
import { type AdminCall, type Known, knownByCookie } from '../../verify-admin.ts';
import { cookieIn, removeCookie, setCookie } from '../cookies.ts';
import type { SessionView } from '../routes.ts';

/** The session of the browser, and the ways to get one. */
export async function getSession({ request }: AdminCall<'getSession'>, shell: Shell): Promise<Answer> {
  const known = await signedIn(request, shell);
  const renewal = isOwnPage(request) && cookieIn(request.header('cookie'), 'renewal', reachedBy(request));
  return {
    status: 200,
    body: {
      ...(known && { session: sessionView(known) }),
      canRenew: shell.issuer !== undefined && typeof renewal === 'string',
      methods: shell.issuer ? ['oidc', 'link'] : ['link'],
    },
  };
}

/**
 * Signs the browser in by a link. A browser in which somebody else is signed in is refused, and the link stays good:
 * otherwise a link in a message could have a person work under another's name unawares. Throws a {@link Refusal}.
 */
export async function beginSession({ body, request }: AdminCall<'beginSession'>, shell: Shell): Promise<Answer> {
  wantOwnPage(request);
  const before = await signedIn(request, shell);
  const { session, token } = await beginByLink(shell, body.secret, request, ({ who }) => {
    if (before && before.who !== who)
      throw new Refusal('other-session', `this browser is signed in as ${before.name}: sign out first, and then open the link again`);
  });
  if (before?.key !== undefined) await order(shell, before.key, { type: 'revoke', id: request.id });
  const { who, name, rights, expiresAt } = session;
  return {
    status: 201,
    body: sessionView({ who, name, rights, endsAt: expiresAt }),
    cookies: [setCookie('session', reachedBy(request), token, (expiresAt - shell.now()) / 1_000)],
  };
}

/** Signs the browser out: here, at the issuer if it can renew its session there, and in the browser. */
export async function endSession({ request }: AdminCall<'endSession'>, shell: Shell): Promise<Answer> {
  wantOwnPage(request);
  const reached = reachedBy(request);
  const known = await signedIn(request, shell);
  if (known?.key !== undefined) await order(shell, known.key, { type: 'revoke', id: request.id });
  const renewal = cookieIn(request.header('cookie'), 'renewal', reached);
  if (renewal !== undefined && renewal !== 'several') await revoked(renewal, request, shell);
  return {
    status: 200,
    body: { wasSignedIn: known !== undefined },
    // What the browser has stored of answers was for the person who has left.
    headers: { 'clear-site-data': '"cache"' },
    cookies: (['session', 'renewal', 'begun'] as const).map((use) => removeCookie(use, reached)),
  };
}

/** Ends a sign-in at the issuer. If that fails, the browser forgets it all the same. */
async function revoked(renewal: string, { id }: HttpRequest, shell: Shell): Promise<void> {
  try {
    await shell.issuer?.signIn?.revoke(decodeURIComponent(renewal));
  } catch (error) {
    shell.log('warn', 'session.unrevoked', { id, detail: error instanceof Error ? error.message : String(error) });
  }
}

/** The person who is signed in in the browser of our own page; undefined without a valid session. */
async function signedIn(request: HttpRequest, shell: Shell): Promise<Known | undefined> {
  const token = sessionCookieOf(request);
  const known = token === undefined ? undefined : await knownByCookie(token, shell);
  return typeof known === 'string' ? undefined : known;
}

/** Throws a {@link Refusal} for a call that does not come from our own page. */
export function wantOwnPage(request: HttpRequest): void {
  if (isOwnPage(request)) return;
  const from = request.header('sec-fetch-site') ?? 'absent';
  throw new Refusal('cross-site', `sessions are for the page of this deployment: sec-fetch-site is ${from}, not same-origin`);
}

/** A session as the page shows it. */
export const sessionView = ({ who, name, rights, endsAt }: Pick<Known, 'who' | 'name' | 'rights' | 'endsAt'>): SessionView => {
  const full = inFull(rights);
  return {
    who,
    name,
    rights: Object.fromEntries(scopesOf(full).map((scope) => [scope, full[scope]])),
    expires: new Date(endsAt).toISOString(),
  };
};
