import { createHmac, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { exportSPKI, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { plusMs } from '../../../../lib/core/time.ts';
import { InvalidToken, type Issuer } from '../../../../lib/ports/issuer/issuer.ts';
import { oidcIssuer } from '../../../../lib/ports/issuer/oidc.ts';
import { noon } from '../../../../tools/support/a-row.ts';
import { address, aSigningKey, audience, claims, Published, settings, signed } from './an-issuer.ts';

const key = await aSigningKey('k1');
const rsa = await aSigningKey('k2', 'RS256');
const published = new Published([key.jwk, rsa.jwk]);
const issuer = oidcIssuer({ settings: settings(), now: published.now, reading: published.reading });
const nowS = noon / 1000;

/**
 * What an issuer says against a token; undefined when it takes it. Whatever else is thrown is a failure of the test.
 */
async function against(jwt: string, by: Issuer = issuer): Promise<string | undefined> {
  try {
    await by.verify(jwt);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidToken) return error.message;
    throw error;
  }
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an access token', () => {
  it('says who calls, and what the groups may', async () => {
    expect(await issuer.verify(await signed(key))).toEqual({
      subject: 'u-17',
      name: 'ada',
      rights: { operate: 'all' },
      expiresAt: plusMs(noon, 300_000),
    });
  });

  it('may be signed by each of the four algorithms', async () => {
    for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA']) {
      const own = await aSigningKey('own', alg);
      const { now, reading } = new Published([own.jwk]);
      expect(await against(await signed(own), oidcIssuer({ settings: settings(), now, reading })), alg).toBeUndefined();
    }
  });

  it('may call itself at+jwt, JWT or nothing', async () => {
    for (const typ of ['at+jwt', 'application/at+jwt', 'AT+JWT', 'JWT', undefined])
      expect(await against(await signed(key, claims(), { typ })), typ).toBeUndefined();
    for (const typ of ['id_token', 'logout+jwt', 'dpop+jwt', 'secevent+jwt'])
      expect(await against(await signed(key, claims(), { typ })), typ).toBe('the token is not an access token');
  });

  it('of somebody whose groups nobody mapped gives no right', async () => {
    for (const groups of [undefined, [], ['staff'], { 'muster-admin': true }, 7])
      expect((await issuer.verify(await signed(key, claims({ groups })))).rights).toEqual({});
  });

  it('names people by what an issuer may call them, and by their subject when that is no plain text', async () => {
    const name = async (given: Record<string, unknown>) =>
      (await issuer.verify(await signed(key, claims({ preferred_username: undefined, ...given })))).name;
    expect(await name({ preferred_username: 'ada', email: 'ada@example.test' })).toBe('ada');
    expect(await name({ email: 'ada@example.test', name: 'Ada' })).toBe('ada@example.test');
    expect(await name({ name: 'Ada Lovelace' })).toBe('Ada Lovelace');
    for (const odd of ['', 'a\u001b[2J', 'a\u202eb', 'a\nb', 'x'.repeat(129), 7, null, ['ada']])
      expect(await name({ name: odd })).toBe('u-17');
  });
});

describe('a token that must not be taken', () => {
  it('is unsigned, or signed by something that is no secret of the issuer', async () => {
    const [header, payload, signature] = (await signed(rsa)).split('.') as [string, string, string];
    const none = encoded({ alg: 'none', typ: 'at+jwt' });
    for (const forged of [`${none}.${payload}.`, `${none}.${payload}.${signature}`, `${encoded({ alg: 'None', kid: 'k2' })}.${payload}.`])
      expect(await against(forged)).toMatch(/^the token (must be signed by|is no signed JWT)/);
    expect(await against(`${header}.${payload}.`)).toBeDefined();

    // The public key as a shared secret: whoever verifies by "the key" and not by its kind would take it.
    const pem = await exportSPKI(rsa.publicKey);
    for (const secret of [pem, pem.trim(), JSON.stringify(rsa.jwk), rsa.jwk.n!])
      for (const alg of ['HS256', 'HS384', 'HS512']) {
        const head = encoded({ alg, kid: 'k2', typ: 'at+jwt' });
        const mac = createHmac(alg.replace('HS', 'sha'), secret).update(`${head}.${payload}`).digest('base64url');
        expect(await against(`${head}.${payload}.${mac}`)).toMatch(/^the token must be signed by/);
      }
  });

  it('brings its own key, or says where one is', async () => {
    const own = await aSigningKey('k1');
    for (const header of [{ jwk: own.jwk }, { jku: 'https://evil.example.test/keys' }, { x5u: 'https://evil.example.test/cert' }, {}])
      expect(await against(await signed(own, claims(), header))).toBe('the signature of the token is wrong');
    expect(published.reads.every((url) => url.startsWith(address))).toBe(true);
  });

  it('has another text for the same value', async () => {
    const token = await signed(key);
    const [header, payload, signature] = token.split('.') as [string, string, string];
    // The last character of 64 bytes in base64url carries four bits that say nothing.
    const padded = `${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : signature.endsWith('Q') ? 'R' : signature.endsWith('g') ? 'h' : 'x'}`;
    expect(Buffer.from(padded, 'base64url').equals(Buffer.from(signature, 'base64url'))).toBe(true);
    for (const other of [
      `${header}.${payload}.${padded}`,
      `${token}=`,
      `${token}.`,
      ` ${token}`,
      `${token}\n`,
      `${header}.${payload}`,
      `${header}..${signature}`,
      '',
      '...',
      'a.b.c',
    ])
      expect(await against(other), other).toBeDefined();
  });

  it('is longer than 8 KiB', async () => {
    const groups = Array.from({ length: 1_000 }, (_, i) => `group-${i}`);
    expect(await against(await signed(key, claims({ groups })))).toBe('the token has more than 8192 characters');
  });

  it('has expired, is not valid yet, or never ends; a minute is forgiven', async () => {
    const verdicts = {
      '-61': 'the token has expired',
      '-60': 'the token has expired',
      '-59': undefined,
    };
    for (const [exp, says] of Object.entries(verdicts))
      expect(await against(await signed(key, claims({ exp: nowS + Number(exp) }))), exp).toBe(says);
    expect(await against(await signed(key, claims({ nbf: nowS + 61 })))).toBe('the token is not valid yet');
    expect(await against(await signed(key, claims({ nbf: nowS + 60 })))).toBeUndefined();
    expect(await against(await signed(key, claims({ exp: undefined })))).toBe('the token does not say when it expires');
    for (const exp of ['never', null, {}, `${nowS + 300}`]) expect(await against(await signed(key, claims({ exp })))).toBeDefined();
  });

  it('is of another issuer, or made for somebody else', async () => {
    for (const iss of [`${address}/`, address.replace('https', 'http'), 'https://evil.example.test', undefined, [address], ''])
      expect(await against(await signed(key, claims({ iss })))).toBe('the token is of another issuer');
    for (const aud of ['https://other.example.test', `${audience}/`, [], undefined, '', [['https://muster.example.test']]])
      expect(await against(await signed(key, claims({ aud })))).toBe('the token is made for another audience');
    expect(await against(await signed(key, claims({ aud: ['https://other.example.test', audience] })))).toBeUndefined();
  });

  it('is an id token', async () => {
    const ofId = [{ nonce: 'n' }, { at_hash: 'h' }, { c_hash: 'h' }, { token_use: 'id' }, { typ: 'ID' }, { typ: 'Refresh' }];
    for (const claim of ofId)
      expect(await against(await signed(key, claims(claim), { typ: 'JWT' })), JSON.stringify(claim)).toBe(
        'the token is not an access token',
      );
    // Its audience is the client: where that is our audience too, only a token that calls itself an access token is
    // one.
    const same = oidcIssuer({ settings: settings({ audience: 'muster-cli' }), now: published.now, reading: published.reading });
    expect(await against(await signed(key, claims({ aud: 'muster-cli' }), { typ: 'JWT' }), same)).toBe('the token is not an access token');
    expect(await against(await signed(key, claims({ aud: 'muster-cli' })), same)).toBeUndefined();
    expect(await against(await signed(key, claims({ aud: [audience, 'muster-cli'] }), { typ: undefined }))).toBe(
      'the token is not an access token',
    );
  });

  it('does not say plainly whose it is', async () => {
    expect(await against(await signed(key, claims({ sub: undefined })))).toBe('the token does not say whose it is');
    for (const sub of ['', 'a\nb', 'x'.repeat(129), 7, null, {}]) expect(await against(await signed(key, claims({ sub })))).toBeDefined();
  });

  it('asks for an extension that nobody here knows', async () => {
    const critical = new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', kid: 'k1', crit: ['exp2'], exp2: 1 });
    expect(await against(await critical.sign(key.privateKey, { crit: { exp2: true } }))).toBe('the token is not a signed JWT');
  });

  it('is one of thousands that differ from a good one in some characters', async () => {
    const tokens = [await signed(key), await signed(rsa)];
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ';
    const edits = fc.array(fc.record({ at: fc.nat(), to: fc.constantFrom(...alphabet), how: fc.constantFrom('put', 'insert', 'remove') }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...tokens), edits, async (token, changes) => {
        const forged = changes.reduce((text, { at, to, how }) => {
          const place = at % text.length;
          return text.slice(0, place) + (how === 'remove' ? '' : to) + text.slice(how === 'insert' ? place : place + 1);
        }, token);

        fc.pre(!tokens.includes(forged));
        expect(await against(forged)).toBeDefined();
      }),
      { seed: 43, numRuns: 4_000 },
    );
  }, 30_000);

  it('carries claims or a header of its own beside the signature of another', async () => {
    const token = await signed(key);
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const values = fc.dictionary(fc.constantFrom('sub', 'groups', 'exp', 'aud', 'iss', 'alg', 'kid', 'typ', 'x'), fc.jsonValue(), {
      minKeys: 1,
    });
    await fc.assert(
      fc.asyncProperty(values, fc.boolean(), async (changed, inHeader) => {
        const whole = JSON.parse(Buffer.from(inHeader ? header : payload, 'base64url').toString()) as Record<string, unknown>;
        const other = encoded({ ...whole, ...changed });

        fc.pre(other !== (inHeader ? header : payload));
        expect(await against(inHeader ? `${other}.${payload}.${signature}` : `${header}.${other}.${signature}`)).toBeDefined();
      }),
      { seed: 47, numRuns: 1_000 },
    );
  }, 30_000);
});

describe('the end of a token', () => {
  it.each([
    ['in the middle of a millisecond', noon / 1000 + 0.0015, noon + 1],
    ['at no date that there is', 1e300, noon + 12 * 3_600_000],
  ])('%s is a moment', async (_what, exp, expiresAt) => {
    expect(await issuer.verify(await signed(key, claims({ iat: noon / 1000, exp })))).toMatchObject({ expiresAt });
  });

  it('comes 12 hours after it was issued at the latest, whatever it says', async () => {
    const issuedAt = (hoursAgo: number) => claims({ iat: noon / 1000 - hoursAgo * 3_600, exp: noon / 1000 + 365 * 86_400 });
    expect(await issuer.verify(await signed(key, issuedAt(11)))).toMatchObject({ expiresAt: noon + 3_600_000 });
    await expect(issuer.verify(await signed(key, issuedAt(13)))).rejects.toThrow('the token was issued too long ago');
    await expect(issuer.verify(await signed(key, claims({ iat: undefined })))).rejects.toThrow('the token does not say when it was issued');
  });

  it('comes as soon after it was issued as the deployment says', async () => {
    const strict = oidcIssuer({ settings: settings({ tokenAgeMaxMinutes: 10 }), now: published.now, reading: published.reading });
    const issuedAt = (minutesAgo: number) => claims({ iat: noon / 1000 - minutesAgo * 60, exp: noon / 1000 + 3_600 });
    expect(await strict.verify(await signed(key, issuedAt(9)))).toMatchObject({ expiresAt: noon + 60_000 });
    await expect(strict.verify(await signed(key, issuedAt(12)))).rejects.toThrow('the token was issued too long ago');
  });
});

describe('an access token of Cognito', () => {
  const cognito = oidcIssuer({ settings: settings({ audience: undefined }), now: published.now, reading: published.reading });
  const own = { aud: undefined, preferred_username: undefined, groups: undefined };
  const good = { ...own, token_use: 'access', client_id: 'muster-cli', username: 'ada', 'cognito:groups': ['muster-read'] };

  it('names the client instead of an audience, and its groups by a claim of its own', async () => {
    expect(await cognito.verify(await signed(key, claims(good), { typ: undefined }))).toEqual({
      subject: 'u-17',
      name: 'ada',
      rights: { read: 'all' },
      expiresAt: plusMs(noon, 300_000),
    });
  });

  it('is refused for another client, and its id tokens are', async () => {
    const verdict = async (changed: Record<string, unknown>) =>
      against(await signed(key, claims({ ...good, ...changed }), { typ: undefined }), cognito);
    expect(await verdict({ client_id: 'another' })).toBe('the token is made for another client');
    expect(await verdict({ client_id: undefined })).toBe('the token is made for another client');
    expect(await verdict({ token_use: undefined })).toBe('the token is made for another client');
    expect(await verdict({ token_use: 'id', aud: 'muster-cli' })).toBe('the token is not an access token');
    expect(await verdict({ token_use: 'id', client_id: 'muster-cli' })).toBe('the token is not an access token');
  });
});

describe('keys that an issuer should not have published', () => {
  it('verify nothing: a secret, and an RSA key of 1024 bits', async () => {
    const secret = Buffer.alloc(32, 7);
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
    const { now, reading } = new Published([
      { kty: 'oct', k: secret.toString('base64url'), kid: 'k1', alg: 'HS256' },
      { ...short, kid: 'k2' },
    ]);
    const odd = oidcIssuer({ settings: settings(), now, reading });
    const head = encoded({ alg: 'HS256', kid: 'k1', typ: 'at+jwt' });
    const body = encoded(claims());
    const mac = createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url');

    expect(await against(`${head}.${body}.${mac}`, odd)).toMatch(/^the token must be signed by/);
    expect(await against(await signed(rsa), odd)).toBe('the token is signed by a key that its issuer does not publish');
  });
});
