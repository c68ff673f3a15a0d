import type { Configuration, TokenEndpointResponse } from 'openid-client';
import { Later } from '../../core/errors.ts';
import { type EpochMs, minuteMs } from '../../core/time.ts';
import { type CodeFlow, type IssuedTokens, NotIssued, type PublicIssuer } from './issuer.ts';
import { reasonOf } from './published-keys.ts';

/** How long one answer of the issuer may take, in seconds: two fit into the time limit of a call. */
const answerWithinS = 4;
/** How long the addresses of the issuer are used before they are read again. */
const keepMs = 10 * minuteMs;

/** The library, loaded when somebody first signs in with a browser. */
type Client = typeof import('openid-client');

/** An issuer as its clients know it, and the clock by which what is known of it ages. */
export type CodeFlowOptions = { readonly public: PublicIssuer; readonly now: () => EpochMs };

/**
 * The code flow with PKCE (RFC 9700, 2.1.1) of a public client, as which Muster signs browsers in: it has no secret,
 * and the code is of no use without the verifier that the browser's cookie holds.
 */
export function codeFlow({ public: { issuer, clientId, scopes }, now }: CodeFlowOptions): CodeFlow {
  let known: { readonly at: EpochMs; readonly config: Configuration } | undefined;
  const discovered = async ({ allowInsecureRequests, discovery, None }: Client): Promise<Configuration> => {
    if (known && now() - known.at < keepMs) return known.config;
    const url = new URL(issuer);
    // The settings allow http for loopback alone.
    const execute = url.protocol === 'http:' ? [allowInsecureRequests] : [];
    const config = await discovery(url, clientId, undefined, None(), { execute, timeout: answerWithinS });
    known = { at: now(), config };
    return config;
  };
  /** Asks the issuer. Throws {@link NotIssued} for its refusal, and Later for no answer or an invalid one. */
  const ask = async <T>(question: (client: Client, config: Configuration) => Promise<T>): Promise<T> => {
    const client = await import('openid-client');
    try {
      return await question(client, await discovered(client));
    } catch (error) {
      if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError)
        throw new NotIssued(error.error, { cause: error });
      throw new Later('issuer.away', `no valid answer from the issuer ${issuer}: ${reasonOf(error)}`, { cause: error });
    }
  };
  return {
    begin: ({ redirectUri, state, verifier }) =>
      ask(async ({ buildAuthorizationUrl, calculatePKCECodeChallenge }, config) => {
        const challenge = await calculatePKCECodeChallenge(verifier);
        const proof = { state, code_challenge: challenge, code_challenge_method: 'S256' };
        return buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope: scopes, ...proof }).href;
      }),
    finish: ({ returned, state, verifier }) =>
      ask(async ({ authorizationCodeGrant }, config) =>
        issuedBy(await authorizationCodeGrant(config, new URL(returned), { expectedState: state, pkceCodeVerifier: verifier })),
      ),
    renew: (refreshToken) =>
      ask(async ({ refreshTokenGrant }, config) => issuedBy(await refreshTokenGrant(config, refreshToken), refreshToken)),
    revoke: (refreshToken) =>
      ask(async ({ tokenRevocation }, config) => {
        if (config.serverMetadata().revocation_endpoint === undefined) return;
        await tokenRevocation(config, refreshToken, { token_type_hint: 'refresh_token' });
      }),
  };
}

function issuedBy({ access_token, refresh_token }: TokenEndpointResponse, before?: string): IssuedTokens {
  const refreshToken = refresh_token ?? before;
  return { accessToken: access_token, ...(refreshToken !== undefined && { refreshToken }) };
}
