import { createHmac } from 'node:crypto';
import { exportSPKI } from 'jose';
import { describe, expect, it } from 'vitest';
import admin from '../../../../functions/admin.ts';
import { oidcIssuer } from '../../../../lib/ports/issuer/oidc.ts';
import { aRequest } from '../../../../tools/support/a-request.ts';
import { noon } from '../../../../tools/support/a-row.ts';
import { aShell } from '../../../../tools/support/a-shell.ts';
import { address, aSigningKey, claims, Published, settings, signed } from './an-issuer.ts';

const key = await aSigningKey('k1', 'RS256');
const published = new Published([key.jwk]);
const shell = { ...aShell(), issuer: oidcIssuer({ settings: settings(), now: published.now, reading: published.reading }) };
const nowS = noon / 1000;

/** What the admin API answers to whoever shows this token. */
async function status(token: string) {
  const {
    status: code,
    headers,
    body = '',
  } = await admin.handle(
    aRequest({ path: '/api/v1/status', headers: { authorization: `Bearer ${token}`, host: 'muster.acme.org' } }),
    shell,
  );
  const { type, detail } = JSON.parse(body) as { type?: string; detail?: string };
  return { code, challenge: headers?.['www-authenticate'], type, detail };
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const [header, payload, signature] = (await signed(key)).split('.') as [string, string, string];
const mac = async (): Promise<string> => {
  const head = `${part({ alg: 'HS256', kid: 'k1', typ: 'at+jwt' })}.${payload}`;
  return `${head}.${createHmac('sha256', await exportSPKI(key.publicKey))
    .update(head)
    .digest('base64url')}`;
};

describe('the admin API', () => {
  it('answers whoever shows an access token of the issuer', async () => {
    expect((await status(await signed(key))).code).toBe(200);
  });

  it.each<[string, () => string | Promise<string>, string]>([
    ['unsigned', () => `${part({ alg: 'none' })}.${payload}.`, 'the token must be signed by RS256, PS256, ES256, EdDSA'],
    ['signed by the public key as a secret', mac, 'the token must be signed by RS256, PS256, ES256, EdDSA'],
    ['expired', () => signed(key, claims({ exp: nowS - 3600 })), 'the token has expired'],
    ['of the future', () => signed(key, claims({ nbf: nowS + 3600 })), 'the token is not valid yet'],
    [
      'made for another audience',
      () => signed(key, claims({ aud: 'https://other.example.test' })),
      'the token is made for another audience',
    ],
    ['of another issuer', () => signed(key, claims({ iss: `${address}/` })), 'the token is of another issuer'],
    [
      'tampered with',
      () => `${header}.${part(claims({ groups: ['muster-security'] }))}.${signature}`,
      'the signature of the token is wrong',
    ],
    [
      'an id token',
      () => signed(key, claims({ aud: ['muster-cli', 'https://muster.example.test'], nonce: 'n' }), { typ: 'JWT' }),
      'the token is not an access token',
    ],
    [
      'signed by a key that nobody publishes',
      async () => signed(await aSigningKey('k9')),
      'the token is signed by a key that its issuer does not publish',
    ],
  ])('refuses a token that is %s: 401, the challenge, and why', async (_what, token, detail) => {
    expect(await status(await token())).toEqual({
      code: 401,
      challenge: 'Bearer realm="muster", error="invalid_token"',
      type: 'urn:muster:problem:bearer-invalid',
      detail,
    });
  });

  it('is busy, and not closed, while the keys of the issuer cannot be read', async () => {
    const away = new Published([key.jwk]);
    away.away = true;
    const issuer = oidcIssuer({ settings: settings(), now: away.now, reading: away.reading });
    const reply = await admin.handle(
      aRequest({ path: '/api/v1/status', headers: { authorization: `Bearer ${await signed(key)}`, host: 'muster.acme.org' } }),
      { ...aShell(), issuer },
    );
    expect({ status: reply.status, after: reply.headers?.['retry-after'] }).toEqual({ status: 503, after: '2' });
  });
});
