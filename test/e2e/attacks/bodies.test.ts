import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bodyBytesMax } from '../../../lib/api/json.ts';
import { aNodeUp, someLoad, type TestAgent } from '../../../tools/support/actors.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { storedIn } from '../../../tools/support/state.ts';
import { rawBytes } from '../../support/raw-call.ts';
import { type Attack, aStronghold, type Stronghold, told } from './stronghold.ts';

let host: Stronghold;
let node: TestAgent;
const [web, newHost] = [keyPairOf('web9.acme.org'), keyPairOf('node9.acme.org')];
beforeAll(async () => {
  host = await aStronghold();
  node = await aNodeUp(host.url, 'node1.acme.org');
  host.keepSecret(node.keys.privateKey);
  await host.settle();
});
afterAll(() => host.stop());
afterEach(() => host.unharmed());

const knock = (more: object = {}) => ({ publicKey: web.publicKey, fqdn: 'web9.acme.org', machineId: 'machine-9', ...more });
const join = (more: object = {}) => ({ publicKey: newHost.publicKey, fqdn: 'node9.acme.org', kind: 'salt', ...more });
/**
 * One call of each door that takes a body: a client system's, a host's, a node's and an administrator's; what is signed
 * is signed as it is.
 */
const doors = (): readonly (Attack & { readonly method: string })[] => [
  { method: 'POST', path: '/system/knock', body: knock(), by: web },
  { method: 'POST', path: '/nodes/join', body: join(), by: newHost },
  {
    method: 'POST',
    path: `/nodes/${node.id}/heartbeat`,
    body: { id: 'b', incarnation: node.incarnation, seq: 9, load: someLoad },
    by: node.keys,
  },
  { method: 'PATCH', path: `/api/v1/nodes/${node.id}`, body: { weight: 2 } },
];
const each = async (change: (call: Attack & { readonly method: string }) => Attack) => {
  const answers = [];
  for (const call of doors()) answers.push(told(await host.attack(change(call))).slice(0, 2));
  return answers;
};
const atEach = (...answer: readonly (number | string)[]) => Array(4).fill(answer);
const padded = ({ body }: Attack, bytes: number): string => JSON.stringify(body).padEnd(bytes);

describe('attack 24', () => {
  it.each([
    ['64 KiB and a byte', bodyBytesMax + 1],
    ['11 MB', 11_000_000],
  ])('attack 24: a body of %s is too large, with its length told or not', async (_what, bytes) => {
    expect(await each((call) => ({ ...call, body: padded(call, bytes) }))).toEqual(atEach(413, 'too-large'));
    expect(await each((call) => ({ ...call, body: padded(call, bytes), chunked: true }))).toEqual(atEach(413, 'too-large'));
  });
  it('attack 24: headers of more than 10,240 bytes are answered with 431 and the end of the connection', async () => {
    const { host: name } = new URL(host.url);
    const head = `GET /api/v1/status HTTP/1.1\r\nhost: ${name}\r\nx-much: ${'a'.repeat(10_300)}\r\n\r\n`;
    expect(await rawBytes(host.url, head)).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('attack 25', () => {
  it.each([
    ['cut short', '{"id":'],
    ['no JSON', 'id=1'],
    ['with a byte order mark', '\ufeff{}'],
    ['with NaN', '{"weight":NaN}'],
    ['with a comma too many', '{"weight":1,}'],
    ['with a key twice', '{"weight":1,"weight":2}'],
    ['with a key twice, once in disguise', '{"weight":1,"we\\u0069ght":2}'],
    ['with __proto__', '{"__proto__":{"scope":"security"}}'],
    ['with __proto__ in disguise', '{"a":[{"\\u005f_proto__":1}]}'],
    ['nested 33 deep', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['nested 10,000 deep', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['opened 60,000 times and never closed', '{"a":'.repeat(12_000)],
  ])('attack 25: a body %s is no JSON of ours', async (_what, body) => {
    expect(await each((call) => ({ ...call, body }))).toEqual(atEach(400, 'malformed-json'));
  });
});

describe('attack 26', () => {
  it('attack 26: a body that says it is no JSON, or says nothing, is not taken', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'multipart/form-data; boundary=x', ''])
      expect(await each((call) => ({ ...call, headers: { 'content-type': type } })), type).toEqual(atEach(415, 'unsupported-media-type'));
  });
  it('attack 26: a compressed body is not taken', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip'])
      expect(await each((call) => ({ ...call, headers: { 'content-encoding': encoding } })), encoding).toEqual(
        atEach(415, 'content-encoding'),
      );
  });
  it('attack 26: a body in chunks, without its length, is judged like any other', async () => {
    const plain = { 'content-type': 'text/plain' };
    expect(await each((call) => ({ ...call, chunked: true, headers: plain }))).toEqual(atEach(415, 'unsupported-media-type'));
    expect(await each((call) => ({ ...call, chunked: true, body: '{"id":' }))).toEqual(atEach(400, 'malformed-json'));
  });
});

describe('attack 27', () => {
  it('attack 27: a field that nobody knows is named, at any depth', async () => {
    const unknown = (call: Attack & { readonly method: string }) => ({ ...call, body: { ...(call.body as object), color: 'red' } });
    for (const call of doors()) expect(told(await host.attack(unknown(call)))).toEqual([422, 'unknown-field', '/color']);
    const load = { ...someLoad, color: 'red' };
    const beat = { ...doors()[2]!, body: { ...(doors()[2]!.body as object), load } };
    expect(told(await host.attack(beat))).toEqual([422, 'unknown-field', '/load/color']);
    expect(told(await host.attack({ path: '/api/v1/nodes?color=red' }))).toEqual([422, 'unknown-field', '/color']);
  });
});

describe('attack 28', () => {
  const names: readonly [string, string][] = [
    ['empty', ''],
    ['of 300 characters', `${'a.'.repeat(148)}acme`],
    ['../', '../../etc.passwd.org'],
    ['with NUL', 'node1\0.acme.org'],
    ['right to left', 'node1\u202egro.emca'],
    ['an emoji', '🦄.acme.org'],
    ['of two scripts', 'n\u043ede1.acme.org'],
    ['with a dot at its end', 'node1.acme.org.'],
    ['with #, which joins keys', 'node1#node.acme.org'],
    ['with a line break', 'node1\n.acme.org'],
    ['an address', '192.0.2.1'],
  ];
  it.each(names)('attack 28: a name that is %s is no name of a host or client system', async (_what, fqdn) => {
    const knocking = { method: 'POST', path: '/system/knock', body: knock({ fqdn }), by: web };
    const joining = { method: 'POST', path: '/nodes/join', body: join({ fqdn }), by: newHost };
    for (const call of [knocking, joining]) {
      const answer = await host.attack(call);
      expect(told(answer)).toEqual([422, 'invalid', '/fqdn']);
      expect(answer.text).toMatch(/the name of a host|<=253/);
    }
  });
  it.each(names)('attack 28: one that is %s is no zone, tag, label, rule or name of a key either', async (_what, name) => {
    const admin = async (method: string, path: string, body: object) => told(await host.attack({ method, path, body })).slice(0, 2);
    expect(await admin('POST', '/api/v1/onboarding-tokens', { zone: name })).toEqual([422, 'invalid']);
    expect(await admin('POST', '/api/v1/onboarding-tokens', { tags: [`${name}#`] })).toEqual([422, 'invalid']);
    expect(await admin('PATCH', `/api/v1/nodes/${node.id}`, { labels: { rack: `${name}#` } })).toEqual([422, 'invalid']);
    expect(await admin('POST', '/api/v1/admission-rules', { name: `${name}#`, nodes: '*' })).toEqual([422, 'invalid']);
    expect(await admin('POST', '/api/v1/keys', { name: `${name}\n`, scopes: ['read'] })).toEqual([422, 'invalid']);
  });
  it('attack 28: what callers choose freely stands encoded in a key, and crosses into no other kind of row', async () => {
    const chosen = `x#client#${'0'.repeat(64)}|client`;
    const call = { method: 'POST', path: '/api/v1/systems/unregister', body: { systems: ['0'.repeat(64)] } };
    expect((await host.attack({ ...call, headers: { 'idempotency-key': chosen } })).status).toBe(200);
    expect(await host.changes()).toEqual([expect.stringMatching(/^idempotency#[^#|]+\|idempotency$/)]);
    expect(Object.keys(storedIn(host.home)).filter((key) => /^client#/.test(key))).toEqual([]);
    await host.settle();
  });
});

describe('attack 31', () => {
  it.each(['0', '-1', '1000000000', '1e9', '201', '1.5', 'NaN', '', '50,50'])('attack 31: limit=%s is no size of a page', async (limit) => {
    for (const list of ['nodes', 'systems', 'zones', 'keys', 'audit', 'node-tokens', 'dead-letters'])
      expect(told(await host.attack({ path: `/api/v1/${list}?limit=${limit}` })), list).toEqual([422, 'invalid', '/limit']);
  });
  it('attack 31: a limit twice is no limit', async () => {
    expect(told(await host.attack({ path: '/api/v1/nodes?limit=10&limit=100' }))).toEqual([422, 'invalid', '/limit']);
  });
});
