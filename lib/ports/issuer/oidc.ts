import { errors, type JWTPayload, type JWTVerifyResult, jwtVerify, type LocalJWKSet } from 'jose';
import { type EpochMs, lastMs, minuteMs } from '../../core/time.ts';
import { groupsIn, rightsOfGroups } from '../../identity/claims.ts';
import { type Identity, InvalidToken, type Issuer } from './issuer.ts';
import { publishedKeys, type Reading } from './published-keys.ts';
import { type IssuerSettings, usualTokenAgeMinutes } from './settings.ts';

/**
 * Signatures by keys that only the issuer holds: never `none`, and never one by a secret that somebody shares with it.
 */
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

/** How far our clock and the issuer's may differ. */
const leewayS = 60;

/** Access tokens have one or two kilobytes; many groups make four. */
const tokenCharactersMax = 8 * 1024;

/** An issuer, the clock by which its tokens end, and how it is read. */
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
  /** A key that we have not heard of may be new: the keys are read again, and the token is looked at once more. */
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
    verify: async (jwt) => {
      wantOneText(jwt);
      const { payload, protectedHeader } = await verifyByAny(jwt).catch((error: unknown) => {
        throw error instanceof errors.JOSEError ? new InvalidToken(wordsFor(error), { cause: error }) : error;
      });
      wantAccessToken(payload, protectedHeader.typ, settings);
      return identityOf(payload, settings);
    },
  };
}

/** A token has one text alone: three parts in base64url as whoever signs writes it, without bits that say nothing. */
function wantOneText(jwt: string): void {
  if (jwt.length > tokenCharactersMax) throw new InvalidToken(`the token has more than ${tokenCharactersMax} characters`);
  const parts = jwt.split('.');
  if (parts.length !== 3 || !parts.every((part) => part === Buffer.from(part, 'base64url').toString('base64url')))
    throw new InvalidToken('the token is no signed JWT');
}

/** What a header may call an access token: RFC 9068 has its own type, others say JWT or nothing. */
const accessTypes: readonly string[] = ['at+jwt', 'application/at+jwt'];

/**
 * An issuer signs more than access tokens, by the same keys: id tokens tell a program who its user is, and prove
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
  // What is made for the client itself is an id token, unless it says otherwise.
  const forClient = [payload.aud].flat().includes(clientId) && !saysSo;
  if (other || use !== 'access' || ofId || forClient) throw new InvalidToken('the token is no access token');
  if (audience === undefined && (payload['token_use'] !== 'access' || payload['client_id'] !== clientId))
    throw new InvalidToken('the token is made for another client');
}

/** What a name or subject may be in our rows and on screens: some visible characters, in one line. */
const plainText = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,128}$/u;

function identityOf(payload: JWTPayload, { groupsClaim, groups, tokenAgeMaxMinutes = usualTokenAgeMinutes }: IssuerSettings): Identity {
  const subject = payload.sub;
  if (typeof subject !== 'string' || !plainText.test(subject)) throw new InvalidToken('the subject of the token is no plain text');
  const names = ['preferred_username', 'username', 'email', 'name'].map((claim) => payload[claim]);
  return {
    subject,
    name: names.find((name): name is string => typeof name === 'string' && plainText.test(name)) ?? subject,
    rights: rightsOfGroups(groupsIn(payload, groupsClaim), groups),
    // Verified to be a number, in seconds, and not that it is one of a date.
    expiresAt: Math.min(
      Math.floor(payload.exp! * 1000),
      Math.floor(payload.iat! * 1000) + tokenAgeMaxMinutes * minuteMs,
      lastMs,
    ) as EpochMs,
  };
}

/** Why a token is not taken, in words that tell its sender what to mend and a forger nothing new. */
function wordsFor(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired)
    return error.claim === 'iat' ? 'the token was issued too long ago, whenever it ends: sign in again' : 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return wrongClaims[error.claim] ?? 'a claim of the token is not as it must be';
  if (error instanceof errors.JWKSNoMatchingKey) return 'the token is signed by a key that its issuer does not publish';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'the token does not say which key of its issuer signed it';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature of the token is wrong';
  if (error instanceof errors.JOSEAlgNotAllowed) return `the token must be signed by ${algorithms.join(', ')}`;
  return 'the token is no signed JWT';
}

const wrongClaims: Readonly<Record<string, string>> = {
  iss: 'the token is of another issuer',
  aud: 'the token is made for another audience',
  exp: 'the token does not say when it expires',
  iat: 'the token does not say when it was issued, or says a moment to come',
  nbf: 'the token is not valid yet',
  sub: 'the token does not say whose it is',
};
