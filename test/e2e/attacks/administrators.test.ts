import { createHash, createHmac } from 'node:crypto';
import { exportSPKI } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { adminRoutes } from '../../../lib/admin-contract.ts';
import type { Route } from '../../../lib/api/route.ts';
import { contract } from '../../../lib/contract.ts';
import { eventually } from '../../../tools/support/host.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { aSigningKey } from '../../unit/ports/issuer/an-issuer.ts';
import { anIssuer, type TestIssuer } from './an-issuer.ts';
import { aStronghold, type Stronghold, shapeOf, told } from './stronghold.ts';

let issuer: TestIssuer;
let host: Stronghold;
beforeAll(async () => {
  issuer = await anIssuer();
  host = await aStronghold({ issuer: issuer.settings });
  await host.settle();
});
afterAll(async () => {
  await host.stop();
  await issuer.stop();
});
afterEach(() => host.unharmed());

/** A call by whoever shows this token; none of it may stand in the answer. */
const shows = (token: string, path = '/api/v1/status', more: { method?: string; body?: unknown } = {}) => {
  if (token.length > 20) host.keepSecret(token);
  return host.attack({ path, ...more, headers: { authorization: `Bearer ${token}` } });
};
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const nowS = () => Math.floor(Date.now() / 1000);
/** A token by the issuer's public key as if that were a secret that both share. */
async function hmac(): Promise<string> {
  const head = `${part({ alg: 'HS256', kid: 'k1', typ: 'at+jwt' })}.${part(issuer.claims())}`;
  return `${head}.${createHmac('sha256', await exportSPKI(issuer.key.publicKey))
    .update(head)
    .digest('base64url')}`;
}
async function tampered(): Promise<string> {
  const [head, , signature] = (await issuer.signed(issuer.claims({ groups: ['muster-read'] }))).split('.');
  return `${head}.${part(issuer.claims())}.${signature}`;
}

describe('attack 32', () => {
  it('attack 32: an access token of the issuer is taken, so that what is wrong with the others is what they say', async () => {
    expect((await shows(await issuer.signed())).status).toBe(200);
  });
  it('attack 32: without a bearer token every call of the API is asked for one, but those by which people sign in', async () => {
    const paths = Object.values(adminRoutes as Readonly<Record<string, Route>>)
      .filter(({ scope }) => scope !== 'anyone')
      .map(({ method, path }) => [method, path.replaceAll(/\{\w+\}/g, 'x')] as const);
    for (const [method, path] of [...paths, ['GET', '/api/v1/events'] as const]) {
      const bare = await fetch(`${host.url}${path}`, { method });
      const answer = { status: bare.status, headers: Object.fromEntries(bare.headers), text: await bare.text() };
      expect(told(answer), `${method} ${path}`).toEqual([401, 'sign-in-needed']);
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="muster"');
    }
  });
  it.each<[string, () => string | Promise<string>]>([
    ['with alg none', () => `${part({ alg: 'none', typ: 'at+jwt' })}.${part(issuer.claims())}.`],
    ['with alg none and a signature', async () => `${part({ alg: 'none' })}.${(await issuer.signed()).split('.').slice(1).join('.')}`],
    ['signed by the public key as a secret, HS256', hmac],
    ['that has expired', () => issuer.signed(issuer.claims({ exp: nowS() - 120 }))],
    ['without an end', () => issuer.signed(issuer.claims({ exp: undefined }))],
    ['of the future', () => issuer.signed(issuer.claims({ nbf: nowS() + 120 }))],
    ['for another audience', () => issuer.signed(issuer.claims({ aud: 'https://other.example.test' }))],
    ['without an audience', () => issuer.signed(issuer.claims({ aud: undefined }))],
    ['of another issuer', () => issuer.signed(issuer.claims({ iss: 'https://login.other.test' }))],
    ['of almost the issuer', () => issuer.signed(issuer.claims({ iss: `${issuer.settings.issuer}/` }))],
    ['tampered with', tampered],
    [
      'that is an id token',
      () => issuer.signed(issuer.claims({ aud: ['muster-cli', issuer.settings.audience], nonce: 'n' }), { typ: 'JWT' }),
    ],
    ['by a key that nobody publishes', async () => issuer.signed(issuer.claims(), {}, await aSigningKey('k9', 'RS256'))],
    ['by another key under the right name', async () => issuer.signed(issuer.claims(), {}, await aSigningKey('k1', 'RS256'))],
    ['that brings its own key', async () => issuer.signed(issuer.claims(), { jwk: issuer.key.jwk }, await aSigningKey('k9', 'RS256'))],
    ['without a subject', () => issuer.signed(issuer.claims({ sub: undefined }))],
    ['that is none', () => 'a.b.c'],
  ])('attack 32: a token %s is refused with the challenge of RFC 6750', async (_what, token) => {
    const answer = await shows(await token());
    expect(told(answer)).toEqual([401, 'bearer-invalid']);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="muster", error="invalid_token"');
  });
  it('attack 32: a key that was never made, one that was revoked and one guessed are refused alike', async () => {
    const api = apiAt(host.url);
    const made = await api(contract.createKey, { body: { name: 'a program', scopes: ['read'] } });
    if (!made.ok) throw new Error(made.problem.detail);
    const { secret, key } = made.body;
    expect((await shows(secret)).status).toBe(200);
    await api(contract.revokeKey, { params: { id: key.id }, body: {} });
    await host.settle();
    const never = secret.replace(key.id, '000000000000').slice(0, -7);
    const answers = [await shows(secret), await shows(withCheck(never)), await shows(withCheck(secret.slice(0, -8).concat('A')))];
    expect(answers.map(told)).toEqual(Array(3).fill([401, 'bearer-invalid']));
    expect(new Set(answers.map((answer) => JSON.stringify(shapeOf(answer)))).size).toBe(1);
  });
});

describe('a key that is revoked with what it made', () => {
  it('attack 60: takes the key and the link with it that a thief made by it', async () => {
    const api = apiAt(host.url);
    const made = await api(contract.createKey, { body: { name: 'a program', scopes: ['security', 'admin'] } });
    if (!made.ok) throw new Error(made.problem.detail);
    const { secret, key } = made.body;
    const post = async (path: string, body: object): Promise<Record<string, string>> => {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      return (await fetch(new URL(path, host.url), { method: 'POST', headers, body: JSON.stringify(body) })).json() as never;
    };
    const another = (await post('/api/v1/keys', { name: 'mine', scopes: ['security'] }))['secret']!;
    const link = (await post('/api/v1/sign-in-links', {}))['link']!;
    const signIn = () => host.attack({ path: '/api/v1/sign-in', method: 'POST', body: { secret: link.split('#')[1] } });
    expect((await shows(another)).status).toBe(200);
    await api(contract.revokeKey, { params: { id: key.id }, body: { withMade: true } });
    await host.settle();
    const answers = [await shows(secret), await shows(another), await signIn()];
    expect(answers.map(told)).toEqual(Array(3).fill([401, 'bearer-invalid']));
  });
});

/** A token of somebody in this group. */
const may = (group: string) => issuer.signed(issuer.claims({ groups: [group] }));

describe('attack 33', () => {
  it.each([
    ['staff', 'GET', '/api/v1/status', undefined, 'read'],
    ['muster-read', 'POST', '/api/v1/actions/numbers', {}, 'number'],
    ['muster-security', 'POST', '/api/v1/actions/numbers', {}, 'number'],
    ['muster-number', 'POST', '/api/v1/systems/unregister', { systems: ['0'.repeat(64)] }, 'operate'],
    ['muster-read', 'POST', '/api/v1/systems/unregister', { systems: ['0'.repeat(64)] }, 'operate'],
    ['muster-operate', 'PATCH', '/api/v1/settings', { beatMinMs: 2_000 }, 'admin'],
    ['muster-admin', 'POST', '/api/v1/keys', { name: 'mine', scopes: ['security'] }, 'security'],
    ['muster-admin', 'GET', '/api/v1/audit', undefined, 'security'],
  ])('attack 33: who is in the group %s is refused %s %s, and told which scope that takes', async (group, method, path, body, scope) => {
    const answer = await shows(await may(group), path, { method, ...(body && { body }) });
    expect(told(answer)).toEqual([403, 'insufficient-scope']);
    expect(answer.headers['www-authenticate']).toBe(`Bearer realm="muster", error="insufficient_scope", scope="${scope}"`);
    expect((JSON.parse(answer.text) as { detail: string }).detail).toContain(`needs the scope ${scope}`);
  });
});

describe('attack 34', () => {
  it('attack 34: an operator bans nobody, and the audit has that he tried', async () => {
    const eve = await issuer.signed(issuer.claims({ sub: 'eve', groups: ['muster-operate'] }));
    const answer = await shows(eve, '/api/v1/systems/ban', { method: 'POST', body: { systems: ['0'.repeat(64)] } });
    expect(told(answer)).toEqual([403, 'insufficient-scope']);

    const entry = await eventually('the audit has it', async () => {
      const listed = await apiAt(host.url)(contract.listAudit, { query: { limit: 200, who: 'admin:eve' } });
      return listed.ok && listed.body.items[0];
    });
    expect(entry).toMatchObject({
      who: 'admin:eve',
      did: 'tried',
      source: '127.0.0.1',
      request: (JSON.parse(answer.text) as { instance: string }).instance,
      refused: { route: 'POST /api/v1/systems/ban', type: 'insufficient-scope' },
    });
  });
  it('attack 34: nobody takes a ban back: there is no call for it', async () => {
    const call = { method: 'POST', path: '/api/v1/systems/unban', body: { systems: ['0'.repeat(64)] } };
    expect(told(await host.attack(call))).toEqual([405, 'wrong-method']);
  });
});

/** A text with the check that belongs to it. */
const withCheck = (body: string): string => `${body}_${createHash('sha256').update(body, 'utf8').digest('hex').slice(0, 6)}`;

// The audit has only so many refused calls of one address: these come after those that look for theirs there.
describe('attack 91', () => {
  it.each([
    ['POST', '/api/v1/nodes/node1.acme.org/leave', { mode: 'drain' }, 'operate'],
    ['POST', '/api/v1/systems/accept', { systems: ['0'.repeat(64)] }, 'operate'],
    ['POST', '/api/v1/systems/ban', { systems: ['0'.repeat(64)] }, 'security'],
    ['POST', '/api/v1/keys', { name: 'mine', scopes: ['number'] }, 'security'],
    ['PATCH', '/api/v1/settings', { beatMinMs: 2_000 }, 'admin'],
    ['POST', '/api/v1/reports', [], 'report'],
  ])('attack 91: who may number actions, as a gateway, is refused %s %s', async (method, path, body, scope) => {
    const answer = await shows(await may('muster-number'), path, { method, body });
    expect(told(answer)).toEqual([403, 'insufficient-scope']);
    expect(answer.headers['www-authenticate']).toBe(`Bearer realm="muster", error="insufficient_scope", scope="${scope}"`);
  });
});
