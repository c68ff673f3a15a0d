import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';

/** The audience and the client in the deployment's configuration. */
export const audience = 'muster';
export const clientId = 'muster-cli';

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
/** A key that signs tokens, and the id under which it is published. */
export type TokenSigner = Keys & { readonly kid: string };

/**
 * An OpenID Connect provider as far as a deployment sees one: its name, its published keys, and tokens that it signs.
 */
export type CheckIssuer = {
  readonly url: string;
  readonly signer: TokenSigner;
  /** An access token of a person in this group, with claims and a header that differ as a test requires. */
  readonly token: (
    group: string,
    claims?: Readonly<Record<string, unknown>>,
    header?: Partial<JWTHeaderParameters>,
    by?: TokenSigner,
  ) => Promise<string>;
  readonly stop: () => void;
};

/** A key pair that could sign tokens. */
export async function newSigner(): Promise<TokenSigner> {
  const keys = await generateKeyPair('RS256', { extractable: true });
  return { ...keys, kid: await calculateJwkThumbprint(await exportJWK(keys.publicKey)) };
}

/** Starts a provider on the loopback, which the functions reach as they would reach any. */
export async function startIssuer(): Promise<CheckIssuer> {
  const signer = await newSigner();
  const keys = [{ ...(await exportJWK(signer.publicKey)), kid: signer.kid, alg: 'RS256', use: 'sig' }];
  const server = createServer((request, response) => {
    const documents: Readonly<Record<string, unknown>> = {
      '/.well-known/openid-configuration': { issuer: url, jwks_uri: `${url}/keys` },
      '/keys': { keys },
    };
    const document = documents[request.url ?? ''];
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(document ?? {}));
  });
  const url = await listening(server);
  return {
    url,
    signer,
    token: (group, claims = {}, header = {}, by = signer) => {
      const nowS = Math.floor(Date.now() / 1000);
      const usual = { iss: url, aud: audience, sub: 'ada', groups: [group], iat: nowS, exp: nowS + 900 };
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: by.kid, ...header })
        .sign(by.privateKey);
    },
    stop: () => void server.close(),
  };
}

const listening = (server: Server): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
