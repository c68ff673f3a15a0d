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

/** The OpenID Connect provider that identifies administrators. */
export interface Issuer {
  /**
   * The identity behind this access token. Throws {@link InvalidToken} for a token that must not be accepted, Later
   * while the issuer's keys cannot be read.
   */
  verify(jwt: string): Promise<Identity>;
  readonly public: PublicIssuer;
}

/** The token must not be accepted; the message gives a reason that is safe to return to the sender. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}
