import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { IssuerSettings } from '../../../lib/ports/issuer/settings.ts';
import { aSigningKey, audience, type SigningKey } from '../../unit/ports/issuer/an-issuer.ts';

/** An issuer of access tokens that signs whatever an attacker would like to have signed. */
export type TestIssuer = {
  readonly settings: IssuerSettings;
  readonly key: SigningKey;
  /**
   * Claims of a good access token of this moment, with those that are given in their place; undefined leaves one out.
   */
  readonly claims: (changed?: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** A token with these claims and header, by its own key unless told otherwise. */
  readonly signed: (claims?: Record<string, unknown>, header?: object, by?: SigningKey) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** Publishes one RSA key on loopback, as OpenID Connect Discovery has it. */
export async function anIssuer(): Promise<TestIssuer> {
  const key = await aSigningKey('k1', 'RS256');
  const server = createServer((request, response) => {
    const documents: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': { issuer: address, jwks_uri: `${address}/keys`, token_endpoint: `${address}/token` },
      '/keys': { keys: [key.jwk] },
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(documents[request.url ?? ''] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const claims: TestIssuer['claims'] = (changed = {}) => {
    const nowS = Math.floor(Date.now() / 1000);
    const good = { iss: address, aud: audience, sub: 'u-17', groups: ['muster-security'], iat: nowS, exp: nowS + 300, ...changed };
    return Object.fromEntries(Object.entries(good).filter(([, value]) => value !== undefined));
  };
  return {
    settings: IssuerSettings.parse({ issuer: address, clientId: 'muster-cli', audience }),
    key,
    claims,
    signed: (payload = claims(), header = {}, by = key) =>
      new SignJWT(payload).setProtectedHeader({ alg: by.alg, kid: by.kid, typ: 'at+jwt', ...header }).sign(by.privateKey),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
