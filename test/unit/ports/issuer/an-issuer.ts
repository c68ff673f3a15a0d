import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { type EpochMs, plusMs } from '../../../../lib/core/time.ts';
import type { Reading } from '../../../../lib/ports/issuer/published-keys.ts';
import { IssuerSettings } from '../../../../lib/ports/issuer/settings.ts';
import { noon } from '../../../../tools/support/a-row.ts';

/** Where the issuer of these tests is. */
export const address = 'https://login.example.test/realm';
/** For whom its access tokens are made. */
export const audience = 'https://muster.example.test';

/** A key pair of an issuer, with the name it publishes it under. */
export type SigningKey = {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
};

/** A new key pair for an algorithm. */
export async function aSigningKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Claims of a good access token at noon; `changed` says what the test is about, undefined leaves a claim out. */
export const claims = (changed: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const nowS = noon / 1000;
  const all = {
    iss: address,
    aud: audience,
    sub: 'u-17',
    preferred_username: 'ada',
    groups: ['muster-operate'],
    iat: nowS,
    exp: nowS + 300,
    ...changed,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
};

/** A signed token; `header` may override what the header says. */
export const signed = (
  key: SigningKey,
  payload: Record<string, unknown> = claims(),
  header: { readonly [N in keyof JWTHeaderParameters]?: JWTHeaderParameters[N] | undefined } = {},
): Promise<string> =>
  new SignJWT(payload)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header } as JWTHeaderParameters)
    .sign(key.privateKey);

/** Settings of the issuer of these tests, as a deployment would give them. */
export const settings = (given: Partial<Parameters<typeof IssuerSettings.parse>[0] & object> = {}): IssuerSettings =>
  IssuerSettings.parse({ issuer: address, clientId: 'muster-cli', audience, ...given });

/** What an issuer publishes, read without a network; `published` and `away` may be changed while a test runs. */
export class Published {
  published: readonly JWK[];
  away = false;
  /** Addresses that were read, in order. */
  readonly reads: string[] = [];
  /** Answers instead of ours, by address. */
  readonly instead = new Map<string, { status: number; text: string }>();
  at: EpochMs = noon;

  constructor(published: readonly JWK[]) {
    this.published = published;
  }

  now = (): EpochMs => this.at;

  step(ms: number): void {
    this.at = plusMs(this.at, ms);
  }

  reading: Reading = async (url) => {
    this.reads.push(url);
    if (this.away) throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) });
    const { status, text } = this.instead.get(url) ?? { status: 200, text: JSON.stringify(this.#documents()[url] ?? {}) };
    return { status, text: async () => text };
  };

  #documents(): Record<string, unknown> {
    return {
      [`${address}/.well-known/openid-configuration`]: { issuer: address, jwks_uri: `${address}/keys`, token_endpoint: `${address}/token` },
      [`${address}/keys`]: { keys: this.published },
    };
  }
}
