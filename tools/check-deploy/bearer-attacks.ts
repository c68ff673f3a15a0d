import { createHmac } from 'node:crypto';
import { exportSPKI } from 'jose';
import { type CheckIssuer, clientId, newSigner } from './issuer.ts';
import { allRefused, type Expected, type RawCall, type RawFetch } from './refused.ts';

const invalid: Expected = [401, 'bearer-invalid'];
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Bearer tokens that must not let a caller in, each with its exact answer. Gives how many there were. */
export async function bearerAttacks(send: RawFetch, issuer: CheckIssuer): Promise<number> {
  const status = (token: string): RawCall => ({ method: 'GET', path: '/api/v1/status', headers: { authorization: `Bearer ${token}` } });
  const good = await issuer.token('muster-admin');
  const forged = Object.entries(await forgeries(issuer, good)).map(([name, token]) => [name, status(token), invalid] as const);
  const reader = { authorization: `Bearer ${await issuer.token('muster-read')}` };
  const stranger = { authorization: `Bearer ${await issuer.token('nobody-knows-this-group')}` };
  const ban = { method: 'POST', path: '/api/v1/systems/ban', body: JSON.stringify({ systems: ['0'.repeat(64)] }) } as const;
  return allRefused(send, [
    ['no token', { method: 'GET', path: '/api/v1/status' }, [401, 'sign-in-needed']],
    ['a password', { method: 'GET', path: '/api/v1/status', headers: { authorization: 'Basic YWRhOmFkYQ==' } }, invalid],
    ['an API key that was never made', status('mak_aaaaaaaaaaaa_bbbb_cccccc'), invalid],
    ...forged,
    ['a reader who bans', { ...ban, headers: reader }, [403, 'insufficient-scope']],
    ['a person in no group', { method: 'GET', path: '/api/v1/status', headers: stranger }, [403, 'insufficient-scope']],
    ['a ban without a token, with a wrong body as well', { ...ban, body: '{' }, [401, 'sign-in-needed']],
  ]);
}

/** Tokens that look like one of an administrator. */
async function forgeries(issuer: CheckIssuer, good: string): Promise<Readonly<Record<string, string>>> {
  const [header, payload, signature] = good.split('.') as [string, string, string];
  const nowS = Math.floor(Date.now() / 1000);
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const byPublicKey = `${encoded({ alg: 'HS256', typ: 'at+jwt', kid: issuer.signer.kid })}.${payload}`;
  const mac = createHmac('sha256', await exportSPKI(issuer.signer.publicKey))
    .update(byPublicKey)
    .digest('base64url');
  const other = await newSigner();
  return {
    'alg none': `${encoded({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
    'alg none with a signature': `${encoded({ alg: 'none', typ: 'at+jwt' })}.${payload}.${signature}`,
    'HS256 by the public key': `${byPublicKey}.${mac}`,
    expired: await issuer.token('muster-admin', { exp: nowS - 120 }),
    'not valid yet': await issuer.token('muster-admin', { nbf: nowS + 600 }),
    'without an end': await issuer.token('muster-admin', { exp: undefined }),
    'for another audience': await issuer.token('muster-admin', { aud: 'somebody-else' }),
    'of another issuer': await issuer.token('muster-admin', { iss: 'https://login.example.test' }),
    'of another key': await issuer.token('muster-admin', {}, {}, other),
    'of another key under the name of the published one': await issuer.token('muster-admin', {}, { kid: issuer.signer.kid }, other),
    'with other claims': `${header}.${encoded({ ...claims, sub: 'eve' })}.${signature}`,
    'with another signature': `${header}.${payload}.${signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
    'an id token': await issuer.token('muster-admin', { aud: clientId, nonce: 'n-1' }, { typ: 'JWT' }),
    'an id token for our audience': await issuer.token('muster-admin', { nonce: 'n-1' }, { typ: 'JWT' }),
  };
}
