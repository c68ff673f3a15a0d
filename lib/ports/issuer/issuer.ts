import type { EpochMs } from '../../core/time.ts';
import type { Rights } from '../../identity/rights.ts';

/** Whom an issuer vouches for. */
export type Identity = {
  /** The issuer's own name for the person or program, stable for ever: its `sub`. */
  readonly subject: string;
  /** What people call them; for showing, never for deciding. */
  readonly name: string;
  /** What the groups of the token are mapped to; none for somebody whose groups we do not know. */
  readonly rights: Rights;
  /** When the token ends, as it says itself: nothing that it lets in without being asked for again lasts longer. */
  readonly expiresAt: EpochMs;
};

/** What a program needs to know in order to sign its user in with the issuer. None of it is secret. */
export type PublicIssuer = {
  /** The address under which `/.well-known/openid-configuration` is found. */
  readonly issuer: string;
  readonly clientId: string;
  /** What to ask the issuer for, separated by spaces. */
  readonly scopes: string;
};

/** Who says who administrators are: an OpenID Connect provider. */
export interface Issuer {
  /**
   * Whom this access token stands for. Throws {@link InvalidToken} for a token that must not be taken, Later while the
   * issuer's keys cannot be read.
   */
  verify(jwt: string): Promise<Identity>;
  readonly public: PublicIssuer;
}

/** The token must not be taken; the message says why in words that are safe to give to whoever sent it. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}
