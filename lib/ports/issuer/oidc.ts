import { errors, type JWTPayload, type JWTVerifyResult, jwtVerify, type LocalJWKSet } from 'jose';
import { type EpochMs, lastMs, minuteMs } from '../../core/time.ts';
import { groupsIn, rightsOfGroups } from '../../identity/claims.ts';
import { codeFlow } from './code-flow.ts';
import { type Identity, InvalidToken, type Issuer } from './issuer.ts';
import { publishedKeys, type Reading } from './published-keys.ts';
import { type IssuerSettings, usualTokenAgeMinutes } from './settings.ts';

/**
 * Signatures by keys that only the issuer holds: never `none`, and never by a secret that another party shares with it.
 */
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

/** How far our clock and the issuer's may differ. */
const leewayS = 60;

/** Access tokens have one or two kilobytes; many groups make four. */
const tokenCharactersMax = 8 * 1024;

/** An issuer, the clock by which its tokens end, and the function that reads it. */
export type OidcOptions = { readonly settings: IssuerSettings; readonly now: () => EpochMs; readonly reading?: Reading };

/**
 * An OpenID Connect provider whose JWT access tokens are verified here, with keys that it publishes
 * (RFC 9068, RFC 8725; https://openid.net/specs/openid-connect-discovery-1_0.html).
 */
export function oidcIssuer({ settings, now, reading = fetch }: OidcOptions): Issuer {
  const { issuer, clientId, scopes, audience, tokenAgeMaxMinutes = usualTokenAgeMinutes } = settings;
  const keys = publishedKeys({ issuer, now, reading });
  const verifyBy = (jwt: string, by: LocalJWKSet): Promise<JWTVerifyResult> =>
    jwtVerify(jwt, by, {
      algorithms: [...algorithms],
      issuer,
      ...(audience !== undefined && { audience }),
      clockTolerance: leewayS,
      currentDate: new Date(now()),
      requiredClaims: ['exp', 'iat', 'sub'],
      maxTokenAge: tokenAgeMaxMinutes * 60,
    });
  /** An unknown key may be new: the keys are read again, and the token is verified once more. */
  const verifyByAny = async (jwt: string): Promise<JWTVerifyResult> => {
    const current = await keys.current();
    try {
      return await verifyBy(jwt, current);
    } catch (error) {
      const newer = error instanceof errors.JWKSNoMatchingKey ? await keys.newer() : current;
      if (newer === current) throw error;
      return verifyBy(jwt, newer);
    }
  };
  return {
    public: { issuer, clientId, scopes },
    signIn: codeFlow({ public: { issuer, clientId, scopes }, now }),
    verify: async (jwt) => {
      wantOneText(jwt);
      const { payload, protectedHeader } = await verifyByAny(jwt).catch((error: unknown) => {
        throw error instanceof errors.JOSEError ? new InvalidToken(reasonFor(error), { cause: error }) : error;
      });
      wantAccessToken(payload, protectedHeader.typ, settings);
      return identityOf(payload, settings);
    },
  };
}

/** A token must have only one text: three parts in canonical base64url, without unused bits. */
function wantOneText(jwt: string): void {
  if (jwt.length > tokenCharactersMax) throw new InvalidToken(`the token has more than ${tokenCharactersMax} characters`);
  const parts = jwt.split('.');
  if (parts.length !== 3 || !parts.every((part) => part === Buffer.from(part, 'base64url').toString('base64url')))
    throw new InvalidToken('the token is not a signed JWT');
}

/** The types that a header gives an access token: RFC 9068 has its own, others use JWT or none. */
const accessTypes: readonly string[] = ['at+jwt', 'application/at+jwt'];

/**
 * An issuer signs more than access tokens, by the same keys: id tokens identify the user to a program, and prove
 * nothing to us. Cognito names the client instead of an audience, and the use of a token in a claim of its own
 * (https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
 */
function wantAccessToken(payload: JWTPayload, typ: string | undefined, { audience, clientId }: IssuerSettings): void {
  const type = typ?.toLowerCase();
  const saysSo = (type !== undefined && accessTypes.includes(type)) || payload['token_use'] === 'access';
  const other = type !== undefined && type !== 'jwt' && !accessTypes.includes(type);
  const use = payload['token_use'] ?? 'access';
  const ofId =
    ['nonce', 'at_hash', 'c_hash', 's_hash'].some((claim) => claim in payload) || ['ID', 'Refresh'].includes(String(payload['typ']));
  // A token for the client itself is an id token, unless it claims otherwise.
  const forClient = [payload.aud].flat().includes(clientId) && !saysSo;
  if (other || use !== 'access' || ofId || forClient) throw new InvalidToken('the token is not an access token');
  if (audience === undefined && (payload['token_use'] !== 'access' || payload['client_id'] !== clientId))
    throw new InvalidToken('the token is made for another client');
}

/** The allowed form of a name or subject in our rows and on screens: visible characters in one line. */
const plainText = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,128}$/u;

function identityOf(payload: JWTPayload, { groupsClaim, groups, tokenAgeMaxMinutes = usualTokenAgeMinutes }: IssuerSettings): Identity {
  const subject = payload.sub;
  if (typeof subject !== 'string' || !plainText.test(subject))
    throw new InvalidToken('the subject of the token is not plain text of 1 to 128 characters');
  const names = ['preferred_username', 'username', 'email', 'name'].map((claim) => payload[claim]);
  return {
    subject,
    name: names.find((name): name is string => typeof name === 'string' && plainText.test(name)) ?? subject,
    rights: rightsOfGroups(groupsIn(payload, groupsClaim), groups),
    // The claim is verified to be a number, in seconds, but not to be in the range of a date.
    expiresAt: Math.min(
      Math.floor(payload.exp! * 1000),
      Math.floor(payload.iat! * 1000) + tokenAgeMaxMinutes * minuteMs,
      lastMs,
    ) as EpochMs,
  };
}

/** Why a token is not accepted, in words that help its sender and tell a forger nothing new. */
function reasonFor(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired)
    return error.claim === 'iat' ? 'the token was issued too long ago, even if it has not expired: sign in again' : 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return wrongClaims[error.claim] ?? 'a claim of the token is wrong';
  if (error instanceof errors.JWKSNoMatchingKey) return 'the token is signed by a key that its issuer does not publish';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'the token does not say which key of its issuer signed it';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature of the token is wrong';
  if (error instanceof errors.JOSEAlgNotAllowed) return `the token must be signed by ${algorithms.join(', ')}`;
  return 'the token is not a signed JWT';
}

const wrongClaims: Readonly<Record<string, string>> = {
  iss: 'the token is of another issuer',
  aud: 'the token is made for another audience',
  exp: 'the token does not say when it expires',
  iat: 'the token does not say when it was issued, or names a time in the future',
  nbf: 'the token is not valid yet',
  sub: 'the token does not say whose it is',
};
