import type { EpochMs } from '../../core/time.ts';
import type { Rights } from '../../identity/rights.ts';

/** A person or program that an issuer vouches for. */
export type Identity = {
  /** The issuer's own name for the person or program, permanently stable: its `sub`. */
  readonly subject: string;
  /** A name for people; for display, never for decisions. */
  readonly name: string;
  /** The rights of the token's groups; none if we know none of the groups. */
  readonly rights: Rights;
  /** When the token ends, by its own claims: a session that it opens lasts no longer. */
  readonly expiresAt: EpochMs;
};

/** The facts that a program needs to sign its user in with the issuer. None of them is secret. */
export type PublicIssuer = {
  /** The address below which `/.well-known/openid-configuration` is found. */
  readonly issuer: string;
  readonly clientId: string;
  /** The scopes to request from the issuer, separated by spaces. */
  readonly scopes: string;
};

/** The tokens of a sign-in. */
export type IssuedTokens = { readonly accessToken: string; readonly refreshToken?: string };

/**
 * How browsers sign in at the issuer, by code and PKCE. Each throws Later while the issuer does not answer; the last
 * three throw {@link NotIssued} when it refuses.
 */
export interface CodeFlow {
  /** The address at the issuer at which a person signs in. `state` comes back with the code. */
  begin(asked: { readonly redirectUri: string; readonly state: string; readonly verifier: string }): Promise<string>;
  /** The tokens for what the issuer returned: `returned` is the whole address to which it sent the browser. */
  finish(came: { readonly returned: string; readonly state: string; readonly verifier: string }): Promise<IssuedTokens>;
  renew(refreshToken: string): Promise<IssuedTokens>;
  /** Ends a sign-in, where the issuer supports that. */
  revoke(refreshToken: string): Promise<void>;
}

/** The issuer gives no token; the message is its error code (RFC 6749, 4.1.2.1 and 5.2). */
export class NotIssued extends Error {
  override readonly name = 'NotIssued';
}

/** The OpenID Connect provider that identifies administrators. */
export interface Issuer {
  /**
   * The identity behind this access token. Throws {@link InvalidToken} for a token that must not be accepted, Later
   * while the issuer's keys cannot be read.
   */
  verify(jwt: string): Promise<Identity>;
  readonly public: PublicIssuer;
  /** How browsers sign in; absent where only programs do. */
  readonly signIn?: CodeFlow;
}

/** The token must not be accepted; the message gives a reason that is safe to return to the sender. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}
