import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
  tokenRevocation,
} from 'openid-client';
import { isPrivate } from '../../../lib/machine/endpoint.ts';
import { exitCodes, Failure } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { type Callback, callbackAt } from './callback.ts';
import type { SignedIn } from './tokens.ts';

/** The issuer at which people sign in, and the scopes that they ask it for, as a deployment names them. */
export type Provider = { readonly issuer: string; readonly clientId: string; readonly scopes: string };
type Renewal = NonNullable<SignedIn['renewal']>;

/** How long a person may take to sign in: to find the phone, and to type its code. */
const signInWithinMs = 5 * 60_000;
/** How long one answer of the issuer may take, in seconds. */
const answerWithinS = 10;
/** The assumed lifetime in seconds of a token whose issuer does not give one. */
const usualS = 300;

/**
 * Signs a person in by the browser: code flow with PKCE, as RFC 8252 requires it of programs that can keep no secret.
 * `show` is given the address to open. Throws a {@link Failure} when the person or the issuer declines, or the browser
 * does not come back within five minutes.
 */
export async function signInByBrowser(
  provider: Provider,
  terminal: Pick<Terminal, 'now' | 'sleep'>,
  { port, show }: { port?: number | undefined; show: (url: string) => void },
): Promise<SignedIn> {
  const config = await discovered(provider);
  const callback = await callbackAt(port);
  try {
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const asked = buildAuthorizationUrl(config, {
      redirect_uri: callback.redirectUri,
      scope: provider.scopes,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    show(asked.href);
    const came = await within(signInWithinMs, callback.came(state), terminal);
    const tokens = await asking(provider, () =>
      authorizationCodeGrant(config, came, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      }),
    );
    return signedInBy(tokens, provider, undefined, terminal.now());
  } finally {
    callback.close();
  }
}

/**
 * The next token, for the refresh token of the last. Throws a {@link Failure} when the issuer refuses, or does not
 * answer.
 */
export async function renewed(renewal: Renewal, now: () => number): Promise<SignedIn> {
  const config = await discovered(renewal);
  return signedInBy(await asking(renewal, () => refreshTokenGrant(config, renewal.refreshToken)), renewal, renewal.refreshToken, now());
}

/**
 * Revokes a refresh token at an issuer that supports revocation, and gives whether it did.
 */
export async function revoked(renewal: Renewal): Promise<boolean> {
  const config = await discovered(renewal);
  if (config.serverMetadata().revocation_endpoint === undefined) return false;
  await asking(renewal, () => tokenRevocation(config, renewal.refreshToken, { token_type_hint: 'refresh_token' }));
  return true;
}

async function discovered({ issuer, clientId }: Pick<Provider, 'issuer' | 'clientId'>): Promise<Configuration> {
  const url = URL.parse(issuer);
  if (!url || !isPrivate(issuer)) throw new Failure(exitCodes.notAllowed, `the issuer ${issuer} does not use https`);
  const execute = url.protocol === 'http:' ? [allowInsecureRequests] : [];
  return asking({ issuer }, () => discovery(url, clientId, undefined, None(), { execute, timeout: answerWithinS }));
}

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

function signedInBy(
  tokens: Tokens,
  { issuer, clientId }: Pick<Provider, 'issuer' | 'clientId'>,
  before: string | undefined,
  now: number,
): SignedIn {
  const refreshToken = tokens.refresh_token ?? before;
  return {
    token: tokens.access_token,
    expiresAt: now + (tokens.expiresIn() ?? usualS) * 1000,
    ...(refreshToken !== undefined && { renewal: { issuer, clientId, refreshToken } }),
  };
}

/**
 * Asks the issuer. Throws a {@link Failure}: for a refusal in the issuer's own words; for no answer, or an invalid one,
 * as unreachable.
 */
async function asking<T>({ issuer }: { issuer: string }, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
      const refusal = `${error.error}${error.error_description ? `: ${error.error_description}` : ''}`;
      throw new Failure(exitCodes.notAllowed, `the issuer ${issuer} refused the sign-in: ${refusal}`, 'Sign in again: login');
    }
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : message;
    throw new Failure(exitCodes.unreachable, `no valid answer from the issuer ${issuer}: ${reason}`);
  }
}

/** The return from the browser. Throws a {@link Failure} when that takes too long. */
async function within(ms: number, came: ReturnType<Callback['came']>, { sleep }: Pick<Terminal, 'sleep'>): Promise<URL> {
  const patience = new AbortController();
  const gaveUp = sleep(ms, patience.signal).then(() => {
    throw new Failure(exitCodes.tryAgain, 'the sign-in in the browser was not finished within five minutes', 'Try again: login');
  });
  try {
    return await Promise.race([came, gaveUp]);
  } finally {
    patience.abort();
  }
}
