import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import { ZoneName } from '../../../lib/core/ids.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

const [alpha, beta] = [ZoneName.parse('alpha'), ZoneName.parse('beta')];
const [host9, web9] = [keyPairOf('node9.acme.org'), keyPairOf('web9.acme.org')];
let host: Stronghold;
let key: string;

beforeAll(async () => {
  host = await aStronghold({ admits: 'nobody' });
  const api = apiAt(host.url);
  for (const name of [alpha, beta]) expect((await api(contract.createZone, { body: { name } })).ok).toBe(true);
  const made = await api(contract.createKey, { body: { name: 'of alpha', scopes: ['admin', 'security'], zones: [alpha] } });
  if (!made.ok) throw new Error(made.problem.detail);
  key = made.body.secret;
  const join = { publicKey: host9.publicKey, fqdn: 'node9.acme.org', kind: 'salt', zone: beta };
  const knock = { publicKey: web9.publicKey, fqdn: 'web9.acme.org', machineId: 'machine-9', zone: beta };
  expect((await host.attack({ method: 'POST', path: '/nodes/join', body: join, by: host9 })).status).toBe(202);
  expect((await host.attack({ method: 'POST', path: '/system/knock', body: knock, by: web9 })).text).toBe('0');
  const token = await api(contract.createNodeToken, { body: { nodes: 'node1.acme.org', kind: 'salt', zone: beta } });
  if (!token.ok) throw new Error(token.problem.detail);
  const node1 = keyPairOf('node1.acme.org');
  const member = { publicKey: node1.publicKey, fqdn: 'node1.acme.org', kind: 'salt', token: token.body.secret };
  expect((await host.attack({ method: 'POST', path: '/nodes/join', body: member, by: node1 })).status).toBe(201);
  // What is said of its use is no harm.
  await ofAlpha('GET', '/api/v1/status');
  await host.settle();
});
afterAll(() => host.stop());
afterEach(() => host.unharmed());

/** A call of whoever may do everything in the zone alpha, and nothing elsewhere. */
const ofAlpha = (method: string, path: string, body?: object) => {
  host.keepSecret(key);
  return host.attack({ method, path, ...(body && { body }), headers: { authorization: `Bearer ${key}` } });
};

describe('attack 45', () => {
  it('attack 45: a host that waits for another zone is neither taken into one’s own nor sent away, nor seen', async () => {
    for (const asked of [fingerprintOf(host9.publicKey), 'node9.acme.org']) {
      const admitted = await ofAlpha('POST', '/api/v1/node-pool/admit', { hosts: [asked], zone: alpha });
      const rejected = await ofAlpha('POST', '/api/v1/node-pool/reject', { hosts: [asked] });
      for (const { status, text } of [admitted, rejected]) {
        expect([status, JSON.parse(text)]).toMatchObject([200, { results: [{ host: asked, done: false }] }]);
      }
    }
    expect(JSON.parse((await ofAlpha('GET', '/api/v1/node-pool')).text)).toEqual({ items: [] });
  });
});

describe('attack 46', () => {
  it('attack 46: a machine that waits for another zone is not banned, accepted or seen by who may ban in one', async () => {
    const fp = fingerprintOf(web9.publicKey);
    for (const [what, more] of [
      ['ban', {}],
      ['unregister', {}],
      ['accept', { zone: alpha }],
    ] as const) {
      const { status, text } = await ofAlpha('POST', `/api/v1/systems/${what}`, { systems: [fp], ...more });
      expect([status, JSON.parse(text)], what).toMatchObject([200, { results: [{ fp, done: false }] }]);
    }
    for (const path of [`systems/${fp}`, `explain/system/${fp}`, `history/system/${fp}`])
      expect(told(await ofAlpha('GET', `/api/v1/${path}`)), path).toEqual([404, 'unknown-system']);
    expect(JSON.parse((await ofAlpha('GET', '/api/v1/systems?status=new')).text)).toEqual({ items: [] });
  });
});

describe('attack 47', () => {
  it('attack 47: a node of another zone is no station, and the stations of another are given up by nobody else', async () => {
    const answer = await ofAlpha('PUT', '/api/v1/zones/alpha/stations', { hosts: ['node1.acme.org'] });
    expect(told(answer)).toEqual([409, 'refused']);
    expect(answer.text).not.toContain(beta);
    expect(told(await ofAlpha('POST', '/api/v1/zones/beta/stations/reset', {}))).toEqual([404, 'unknown-zone']);
  });

  it('attack 47: stations are given up by who may ban, and by no administrator without that', async () => {
    const made = await apiAt(host.url)(contract.createKey, { body: { name: 'admin of alpha', scopes: ['admin'], zones: [alpha] } });
    if (!made.ok) throw new Error(made.problem.detail);
    const headers = { authorization: `Bearer ${made.body.secret}` };
    const answer = await host.attack({ method: 'POST', path: '/api/v1/zones/alpha/stations/reset', body: {}, headers });
    expect(told(answer)).toEqual([403, 'insufficient-scope']);
    await host.settle();
  });
});
