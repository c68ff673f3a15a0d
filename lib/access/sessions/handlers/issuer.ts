import { Refusal } from '../../../api/problem.ts';
import { Later } from '../../../core/errors.ts';
import { mintSecret } from '../../../identity/secret-text.ts';
import { type CodeFlow, type Identity, InvalidToken, type IssuedTokens, type Issuer, NotIssued } from '../../../ports/issuer/issuer.ts';
import type { HttpRequest } from '../../../runtime/function.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { type ApiKey, ApiKeyId, sessionForMs } from '../../api-keys/api-key.ts';
import { order } from '../../api-keys/handlers/keys.ts';
import { isLocked } from '../../known-keys.ts';
import { originOf, reachedBy } from '../../origin.ts';
import { whoOf } from '../../subjects/rows/lineage.ts';
import { type AdminCall, notTaken } from '../../verify-admin.ts';
import { cookieCharactersMax, cookieIn, removeCookie, setCookie } from '../cookies.ts';
import { sessionView, wantOwnPage } from './session.ts';

/** How long a person may take at the issuer, in seconds: to find the phone, and to type its code. */
const beginForS = 600;

/** Where the issuer returns a browser that reached us at this origin. */
const callbackOf = (request: HttpRequest): string => `${originOf(request)}/session/callback`;

/** Leads a browser to the issuer. What it must bring back is in a cookie. Throws a {@link Refusal}. */
export async function beginAtIssuer({ query, request }: AdminCall<'beginAtIssuer'>, shell: Shell): Promise<Answer> {
  // A person may open the address by hand. Another site may not have a browser begin.
  if (request.header('sec-fetch-site') !== 'none') wantOwnPage(request);
  const text = (bytes: number): string => Buffer.from(shell.randomBytes(bytes)).toString('base64url');
  const [state, verifier, to] = [text(32), text(32), Buffer.from(query.to).toString('base64url')];
  const location = await flowOf(shell).begin({ redirectUri: callbackOf(request), state, verifier });
  return ledTo(location, [setCookie('begun', reachedBy(request), `${state}.${verifier}.${to}`, beginForS)]);
}

/**
 * Finishes the sign-in that this browser began, and leads it on to the page; whatever went wrong, to the view where it
 * can begin again. An answer of the issuer that this browser did not ask for changes nothing: it could sign a person in
 * as somebody else.
 */
export async function returnFromIssuer({ query, request }: AdminCall<'returnFromIssuer'>, shell: Shell): Promise<Answer> {
  const reached = reachedBy(request);
  const [state, verifier, to] = (cookieIn(request.header('cookie'), 'begun', reached) ?? '').split('.');
  const failed = (why: Failed): Answer => ledTo(`/ui/sign-in?failed=${why}`, [removeCookie('begun', reached)]);
  if (!state || !verifier || to === undefined || query.state !== state) return failed('state');
  try {
    const tokens = await flowOf(shell).finish({ returned: `${callbackOf(request)}?${request.query}`, state, verifier });
    const { cookies } = await admitted(tokens, request, shell);
    return ledTo(Buffer.from(to, 'base64url').toString(), [removeCookie('begun', reached), ...cookies]);
  } catch (error) {
    const why = failedOf(error);
    if (why === undefined) throw error;
    shell.log('warn', 'session.failed', { id: request.id, why, detail: String(error) });
    return failed(why);
  }
}

/** Renews the session of a browser at the issuer. Throws a {@link Refusal} when the person must sign in again. */
export async function renewSession({ request }: AdminCall<'renewSession'>, shell: Shell): Promise<Answer> {
  wantOwnPage(request);
  const reached = reachedBy(request);
  const renewal = cookieIn(request.header('cookie'), 'renewal', reached);
  if (renewal === undefined || renewal === 'several' || !shell.issuer)
    throw new Refusal('sign-in-needed', 'this browser has nothing by which its session could be renewed: sign in');
  try {
    const tokens = await flowOf(shell).renew(decodeURIComponent(renewal));
    const { identity, cookies } = await admitted(tokens, request, shell);
    return { status: 200, body: sessionView({ who: whoOf(identity.subject), ...identity, endsAt: identity.expiresAt }), cookies };
  } catch (error) {
    if (!(error instanceof NotIssued) && !(error instanceof InvalidToken)) throw error;
    throw new Refusal('bearer-invalid', 'the issuer does not renew this session: sign in again', {
      headers: { 'set-cookie': removeCookie('renewal', reached), 'www-authenticate': 'Bearer realm="muster", error="invalid_token"' },
    });
  }
}

/** The person of these tokens, and the cookies that sign the browser in. Throws InvalidToken, and a {@link Refusal}. */
async function admitted(
  { accessToken, refreshToken }: IssuedTokens,
  request: HttpRequest,
  shell: Shell,
): Promise<{ readonly identity: Identity; readonly cookies: readonly string[] }> {
  const reached = reachedBy(request);
  const identity = await issuerOf(shell).verify(accessToken);
  if (await isLocked(shell, whoOf(identity.subject))) throw notTaken('the subject of the token is locked here: ask an administrator');
  const value = accessToken.length <= cookieCharactersMax ? accessToken : await storedSession(identity, request, shell);
  const renewal = refreshToken === undefined ? '' : encodeURIComponent(refreshToken);
  const isKept = renewal !== '' && renewal.length <= cookieCharactersMax;
  return {
    identity,
    cookies: [
      setCookie('session', reached, value, (identity.expiresAt - shell.now()) / 1_000),
      isKept ? setCookie('renewal', reached, renewal, sessionForMs / 1_000) : removeCookie('renewal', reached),
    ],
  };
}

/**
 * A session of our own in place of a token that is too long for a cookie: it has the rights of the token, and ends with
 * it. The token itself is stored nowhere.
 */
async function storedSession({ subject, name, rights, expiresAt }: Identity, request: HttpRequest, shell: Shell): Promise<string> {
  const minted = mintSecret('mst', shell.randomBytes);
  const who = whoOf(subject);
  const madeBy = { who, keys: [] };
  const { id, hash, text } = minted;
  const key: ApiKey = {
    id: ApiKeyId.parse(id),
    hash,
    kind: 'session',
    name,
    rights,
    who,
    createdAt: shell.now(),
    createdBy: who,
    madeBy,
    expiresAt,
  };
  const actor = { who, source: request.source, request: request.id };
  await order({ ...shell, actor }, id, { type: 'make', id: request.id, key });
  return text;
}

/** Why a sign-in at the issuer failed, in a word that the sign-in view of the page explains. */
type Failed = 'state' | 'denied' | 'refused' | 'token' | 'away';

/** The reason of an expected failure; undefined for any other. */
function failedOf(error: unknown): Failed | undefined {
  if (error instanceof NotIssued) return error.message === 'access_denied' ? 'denied' : 'refused';
  if (error instanceof InvalidToken || error instanceof Refusal) return 'token';
  return error instanceof Later ? 'away' : undefined;
}

const ledTo = (location: string, cookies: readonly string[]): Answer => ({
  status: 302,
  headers: { location, 'referrer-policy': 'no-referrer' },
  cookies,
});

function issuerOf({ issuer }: Shell): Issuer {
  if (!issuer) throw new Refusal('not-found', 'this deployment has no issuer: sign in by a link');
  return issuer;
}

function flowOf(shell: Shell): CodeFlow {
  const { signIn } = issuerOf(shell);
  if (!signIn) throw new Refusal('not-found', 'browsers cannot sign in at the issuer of this deployment');
  return signIn;
}
