import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pathOf } from '../../lib/api/client.ts';
import { bodyBytesMax } from '../../lib/api/json.ts';
import type { Route } from '../../lib/api/route.ts';
import { contract } from '../../lib/contract.ts';
import { aClient, aNodeUp, aPublicKey, someFacts, someLoad, type TestAgent } from '../../tools/support/actors.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { keyPairOf, signedBy } from '../../tools/support/signing.ts';
import { changedSince, type Stored, storedIn } from '../../tools/support/state.ts';
import { type RawCall, rawBytes, rawCall, refusalIn } from '../support/raw-call.ts';

let host: TestHost;
let node: TestAgent;
let client: ReturnType<typeof aClient>;
let stored: Stored;
const unknownNode = 'n0000000000000000';
const unknownFp = '0'.repeat(64);

beforeAll(async () => {
  // No lease runs out meanwhile: what changes is changed by the calls.
  host = await aHost({ beatMinMs: 60_000 });
  node = await aNodeUp(host.url, 'node1.acme.org');
  client = aClient(host.url, 'web1.acme.org');
  await client.knock();
  await aClient(host.url, 'web2.acme.org').knock();
  await aClient(host.url, 'web3.acme.org').knock();
  await apiAt(host.url)(contract.accept, { body: { systems: [client.fp], tags: [] } });
  await client.orphan();
  await host.settled();
  stored = storedIn(host.home);
});
afterAll(() => host.stop());

// Whatever a test here asks for changes not a byte of any row.
afterEach(() => expect(changedSince(stored, storedIn(host.home))).toEqual({}));

const refused = async (call: RawCall): Promise<readonly (number | string)[]> => refusalIn(await rawCall(host.url, signedAsItIs(call)));
/** The machines that knock and join. */
const [web9, node9] = [keyPairOf('web9.acme.org'), keyPairOf('node9.acme.org')];
/** What a machine says is signed, whatever is wrong with it otherwise. */
function signedAsItIs(call: RawCall): RawCall {
  const [path = '', query = ''] = call.path.split('?');
  const by = path === '/system/knock' ? web9 : path === '/nodes/join' ? node9 : path.startsWith('/nodes/') ? node.keys : undefined;
  if (!by) return call;
  const target = { method: call.method ?? 'GET', path, query, body: call.body ?? '' };
  return { ...call, headers: { ...call.headers, ...signedBy(by, target, { deployment: 'local', nowMs: Date.now() }) } };
}
const json = { 'content-type': 'application/json' };
const post = (path: string, body: unknown) => refused({ method: 'POST', path, headers: json, body: JSON.stringify(body) });

/** A body for every route that takes one, which it would not refuse. */
const bodies = (): Record<string, object> => ({
  join: { publicKey: node9.publicKey, fqdn: 'node9.acme.org', kind: 'salt' },
  up: { id: 'u', boot: { id: 'boot-new-9', kernel: 'k' }, facts: someFacts('node1.acme.org') },
  heartbeat: { id: 'h', incarnation: node.incarnation, seq: 9, load: someLoad },
  events: [{ id: 'e', type: 'node.ready', version: 1, incarnation: node.incarnation, data: {} }],
  leaving: { id: 'l', incarnation: node.incarnation, mode: 'drain' },
  askAboutKeys: { fingerprints: [unknownFp] },
  askQuestion: { instance: 'lz3k9w0g.2', question: 'may-stop' },
  rotate: { publicKey: node9.publicKey, proof: 'A'.repeat(86) },
  knock: { publicKey: web9.publicKey, fqdn: 'web9.acme.org', machineId: 'm9' },
  editNode: { weight: 2 },
  leaveNode: { mode: 'drain' },
  dropNode: {},
  replaceNode: { by: 'node9.acme.org' },
  removeNode: {},
  createNodeToken: { nodes: 'node9.acme.org' },
  revokeNodeToken: {},
  admitHosts: { hosts: ['nobody.acme.org'] },
  rejectHosts: { hosts: ['nobody.acme.org'] },
  addAdmissionRule: { name: 'nobody', nodes: 'nobody.acme.org' },
  deleteAdmissionRule: {},
  editSystem: { tags: ['web'] },
  editSystems: { systems: [client.fp], tags: { add: ['web'] } },
  pinSystems: { systems: [client.fp], node: 'node1.acme.org' },
  unpinSystems: { systems: [client.fp] },
  accept: { systems: [client.fp] },
  unregister: { systems: [client.fp] },
  settleSystems: { systems: [client.fp] },
  replaceSystem: { by: client.fp },
  ban: { systems: [client.fp] },
  reportMetadata: { generation: 1, document: {} },
  reportHistory: { id: 'r', generation: 1, entries: [{}] },
  adoptSystems: { dryRun: true },
  enterNode: {},
  reserveActionNumbers: { count: 1 },
  recordAction: { proof: 'A'.repeat(35), parts: [{ node: 'nobody.acme.org', id: 1 }] },
  editContent: {},
  finishEditing: {},
  endEditing: { because: 'she is on leave' },
  markSynced: { node: 'node1.acme.org' },
  applyContent: { because: 'of today' },
  rollBackContent: { revision: 1, because: 'of yesterday' },
  resumeContent: {},
  storeContentBlob: { bytes: '' },
  reportContent: { incarnation: 1, order: 'r1-1', outcome: { is: 'failed', why: ['nothing'] } },
  actOnSystems: { systems: [unknownFp], action: { do: 'reboot' } },
  takeAction: { incarnation: 1 },
  reportAction: {
    ...{ incarnation: 1, seq: 1, state: 'scheduled', examples: [] },
    ...{ done: 0, failed: 0, left: 0, unknown: 0, cancelled: 0 },
  },
  presentTicket: { incarnation: 1, ticket: '' },
  reportEntry: { incarnation: 1, entry: { why: 'nobody' } },
  reportAdoption: { incarnation: 1, order: 'an-order', total: 0, systems: [] },
  reportChanges: { incarnation: 1, source: 'a-source', seq: 1, changes: [{ kind: 'everything' }] },
  putMetadata: { document: {} },
  appendMetadata: { entries: [{}] },
  createOnboardingToken: { tags: ['web'] },
  revokeOnboardingToken: {},
  createZone: { name: 'default' },
  deleteZone: {},
  calmZone: {},
  freezeZone: { what: 'all' },
  unfreezeZone: {},
  putStations: { hosts: [] },
  resetStations: {},
  traceNode: { subsystem: 'http', on: false },
  orderOnSite: { host: 'ssu1.acme.org' },
  editPower: {},
  startMero: {},
  stopMero: {},
  resetMero: {},
  updateMero: { set: [{ fid: '0x7200000000000001:0x2d', state: 'failed' }] },
  editMeroVars: { vars: {} },
  beginMeroLoad: {
    identity: '0'.repeat(64),
    size: { nodes: 0, processes: 0, services: 0, devices: 0, pools: 0, profiles: 0, fids: 0 },
  },
  putMeroLayout: { page: { of: 'globals', globals: { m0_md_redundancy: 1 } } },
  putMeroServers: { servers: [{ at: 1, next: 2, server: { m0h_fqdn: 'ssu1.acme.org', m0h_processes: [] } }] },
  finishMeroLoad: {},
  syncMero: {},
  addMeroProcesses: { node: 'node1.acme.org', roles: ['m0t1fs'] },
  startMeroProcess: {},
  stopMeroProcess: {},
  removeMeroProcess: {},
  startMeroNode: {},
  stopMeroNode: {},
  removeMeroNode: {},
  removeHalonNode: {},
  startService: { node: 'node1.acme.org' },
  stopService: { node: 'node1.acme.org' },
  reconfigureService: { node: 'node1.acme.org', configuration: {} },
  checkService: { node: 'node1.acme.org' },
  statusService: { node: 'node1.acme.org' },
  sendService: { node: 'node1.acme.org', message: 'ping' },
  putMeroRole: { content: [{}] },
  putServiceType: { start: ['greet'] },
  putHalonRole: { station: false, services: [] },
  editZone: { unsignedClients: false },
  editSettings: { beatMinMs: 2_000 },
  takeReports: [{ type: 'node.leaving', version: 1, id: 'report-1', node: 'n0123456789abcdef', data: { mode: 'drain' } }],
  redriveDeadLetters: { ids: ['nobody'] },
  dropDeadLetters: { ids: ['nobody'] },
  rotateTokenKeys: { force: false },
  addWebhook: { url: 'https://hooks.acme.org/' },
  removeWebhook: {},
  enableWebhook: {},
  rotateWebhook: {},
  testWebhook: {},
  replayDeliveries: { since: '2026-05-01T12:00:00Z' },
  createKey: { name: 'nobody', scopes: ['read'] },
  revokeKey: {},
  lockSubject: { subject: 'nobody' },
  unlockSubject: { subject: 'nobody' },
  createSignInLink: {},
  signIn: { secret: 'nothing' },
  beginSession: { secret: 'nothing' },
  endSession: {},
  renewSession: {},
  signOut: {},
});
/** Of what the id in a route's path is, and one that nobody has. */
const idOf = (name: string): { readonly known: string; readonly unknown: string; readonly slug: string } => {
  if (/^revoke(Node|Onboarding)Token$/.test(name)) return { known: noToken, unknown: noToken, slug: 'unknown-token' };
  if (/Webhook$|Deliveries$/.test(name)) return { known: noToken, unknown: noToken, slug: 'unknown-webhook' };
  if (name === 'revokeKey') return { known: noToken, unknown: noToken, slug: 'unknown-key' };
  if (name === 'getDeadLetter') return { known: node.id, unknown: unknownNode, slug: 'unknown-dead-letter' };
  return { known: node.id, unknown: unknownNode, slug: 'unknown-node' };
};
const noToken = '0123456789ab';
const known = (name: string): Record<string, string> => ({
  id: idOf(name).known,
  fp: client.fp,
  zone: 'default',
  load: 'nothing',
  n: '0',
  kind: 'node',
  name: 'nobody',
  fid: '0x7200000000000001:0x2d',
  node: 'node1.acme.org',
  role: 'm0t1fs',
  type: 'statistics',
  ticket: noToken,
  number: '1500000000',
  blob: 'ab'.repeat(32),
});
const routes = Object.entries(contract as Readonly<Record<string, Route>>);
const withBody = routes.filter(([, route]) => route.body).map(([name, route]) => ({ name, route }));
const all = routes.map(([name, route]) => ({ name, route }));
const withParams = all.filter(({ route }) => route.path.includes('{'));
/** What every query must hold to be taken. */
const queryOf = (name: string): string => {
  if (name === 'services') return 'name=web';
  if (name === 'findActions') return 'node=node1.acme.org&ids=1';
  if (name === 'findThings') return 'q=kind:node';
  if (name === 'diffContent') return 'from=1&to=2';
  if (name === 'previewStorage') return 'host=node1.acme.org';
  if (name === 'previewZone') return 'weight=node1.acme.org:2';
  return name === 'systemStatus' || name === 'orphan' ? `fp=${client.fp}` : '';
};

describe.each(withBody)('the body of $name', ({ name, route }) => {
  const send = (body: string, headers: Readonly<Record<string, string>> = json) =>
    refused({ method: route.method, path: pathOf(route, known(name)), headers, body });

  it('is refused when it is not JSON, nested 33 deep, or holds __proto__', async () => {
    expect(await send('{"id":')).toEqual([400, 'malformed-json']);
    expect(await send(`${'['.repeat(33)}1${']'.repeat(33)}`)).toEqual([400, 'malformed-json']);
    expect(await send('{"__proto__":{"admin":true}}')).toEqual([400, 'malformed-json']);
  });

  it('is refused when it has a byte more than 64 KiB, with its length or without', async () => {
    const body = JSON.stringify(bodies()[name]).padEnd(bodyBytesMax + 1);
    const call = { method: route.method, path: pathOf(route, known(name)), headers: json, body };
    expect(await refused(call)).toEqual([413, 'too-large']);
    expect(await refused({ ...call, chunked: true })).toEqual([413, 'too-large']);
  });

  it('is refused when it is of another type than JSON, or of the wrong shape', async () => {
    expect(await send(JSON.stringify(bodies()[name]), { 'content-type': 'text/plain' })).toEqual([415, 'unsupported-media-type']);
    expect(await send('', { 'content-type': 'text/plain' })).toEqual([415, 'unsupported-media-type']);
    expect(await send('7')).toEqual([422, 'invalid', '']);
    expect(await send('null')).toEqual([422, 'invalid', '']);
  });

  it('is refused when it has a field that nobody knows, which the pointer names', async () => {
    const body = bodies()[name]!;
    const more = Array.isArray(body) ? [{ ...body[0], color: 'red' }] : { ...body, color: 'red' };
    expect(await send(JSON.stringify(more))).toEqual([422, 'unknown-field', Array.isArray(body) ? '/0/color' : '/color']);
  });
});

describe.each(all)('the route $name', ({ name, route }) => {
  const path = (): string => pathOf(route, known(name));
  const send = (query: string) =>
    refused({
      method: route.method,
      path: `${path()}?${query}`,
      ...(route.body && { headers: json, body: JSON.stringify(bodies()[name]) }),
    });

  it('takes no other method, and says which it takes', async () => {
    const method = ['DELETE', 'PATCH'].find((one) => all.every((other) => other.route.path !== route.path || other.route.method !== one))!;
    expect(await refused({ method, path: path() })).toEqual([405, 'wrong-method']);
    const { headers } = await rawCall(host.url, { method, path: path() });
    expect(String(headers['allow']).split(', ')).toContain(route.method);
  });

  // What an issuer sends a browser back with is the issuer's own.
  it.skipIf(name === 'returnFromIssuer')('takes no query that it does not have', async () => {
    expect(await send([queryOf(name), 'color=red'].filter(Boolean).join('&'))).toEqual([422, 'unknown-field', '/color']);
  });
});

describe.each(withParams)('the parameters of $name', ({ name, route }) => {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const first = names[0]!;
  const send = (params: Readonly<Record<string, string>>) =>
    refused({
      method: route.method,
      path: [pathOf(route, { ...known(name), ...params }), queryOf(name)].filter(Boolean).join('?'),
      ...(route.body && { headers: json, body: JSON.stringify(bodies()[name]) }),
    });

  it('name only what there is, and ids only as they are written', async () => {
    const unknown = { id: idOf(name).unknown, fp: unknownFp, zone: 'nowhere', kind: 'node', name: 'nobody' };
    const slug = {
      id: idOf(name).slug,
      fp: 'unknown-system',
      zone: 'unknown-zone',
      kind: 'unknown-node',
      name: 'unknown-rule',
      number: name === 'recordAction' ? 'unknown-node' : 'not-found',
    }[first];
    expect(await send(unknown)).toEqual([404, slug]);
    expect(await send({ [first]: 'N 0/..' })).toEqual([422, 'invalid', `/${first}`]);
  });
});

describe('a length that is a lie', () => {
  const head = (length: number) =>
    `POST /system/knock HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
  const statusesIn = (said: string): string[] => said.match(/HTTP\/1\.1 \d+/g) ?? [];
  const knock = () => JSON.stringify({ publicKey: aPublicKey(), fqdn: 'web9.acme.org', machineId: 'm9' });
  const sent = async (bytes: string): Promise<string[]> => statusesIn(await rawBytes(host.url, bytes));

  it('is believed no further than 64 KiB', async () => {
    expect(await sent(`${head(bodyBytesMax + 1)}${knock()}`)).toEqual(['HTTP/1.1 413']);
  });
  it('that promises more than comes is a call that never ended', async () => {
    expect(await sent(`${head(4_000)}${knock()}`)).toEqual(['HTTP/1.1 400']);
  });
  it('that promises less leaves a body cut short, and no call behind it', async () => {
    expect(await sent(`${head(10)}${knock()}`)).toSatisfy(
      (all: string[]) => all.length > 0 && all.every((status) => status === 'HTTP/1.1 400'),
    );
  });
  it('and its opposite cannot be told together', async () => {
    const both = head(4).replace('content-length', 'transfer-encoding: chunked\r\ncontent-length');
    expect(await sent(`${both}0\r\n\r\n`)).toEqual(['HTTP/1.1 400']);
  });
});

describe('a name that no host has', () => {
  it.each([
    'localhost',
    'muster',
    'n0123456789abcdef',
    '192.0.2.1',
    'a..acme.org',
    '-a.acme.org',
    'wéb.acme.org',
    `${'a'.repeat(64)}.org`,
    'node1.acme.org.',
    ' node1.acme.org',
    '',
  ])('is refused at every door: %j', async (fqdn) => {
    expect(await post('/nodes/join', { ...bodies()['join'], fqdn })).toEqual([422, 'invalid', '/fqdn']);
    expect(await post('/system/knock', { ...bodies()['knock'], fqdn })).toEqual([422, 'invalid', '/fqdn']);
    expect(await post('/system/knock', { ...bodies()['knock'], confirmed: fqdn })).toEqual([422, 'invalid', '/confirmed']);
    expect(await post(`/nodes/${node.id}/up`, { ...bodies()['up'], facts: someFacts(fqdn) })).toEqual([422, 'invalid', '/facts/fqdn']);
  });
});

describe('what a node says that is not so', () => {
  it('of another incarnation is answered: send node-up', async () => {
    const stale = { incarnation: node.incarnation + 1 };
    expect(await post(`/nodes/${node.id}/heartbeat`, { ...bodies()['heartbeat'], ...stale })).toEqual([409, 'send-node-up']);
    expect(await post(`/nodes/${node.id}/leaving`, { ...bodies()['leaving'], ...stale })).toEqual([409, 'send-node-up']);
    expect(await post(`/nodes/${node.id}/events`, [{ ...(bodies()['events'] as object[])[0], ...stale }])).toEqual([409, 'send-node-up']);
  });
  it('in events of an unknown type says where it stands', async () => {
    const event = (bodies()['events'] as object[])[0];
    expect(await post(`/nodes/${node.id}/events`, [event, { ...event, type: 'node.sideways' }])).toEqual([422, 'unknown-type', '/1/type']);
    expect(await post(`/nodes/${node.id}/events`, [{ ...event, version: 2 }])).toEqual([422, 'unknown-type', '/0/version']);
    expect(await post(`/nodes/${node.id}/events`, [])).toEqual([422, 'invalid', '']);
    expect(await post(`/nodes/${node.id}/events`, Array(101).fill(event))).toEqual([422, 'invalid', '']);
  });
  it('by the name of another is refused at join, and waits in the pool, as any machine that nobody lets in', async () => {
    expect(await post('/nodes/join', { ...bodies()['join'], fqdn: node.fqdn })).toEqual([409, 'fqdn-in-use', '/fqdn']);
    const changed = Object.keys(changedSince(stored, storedIn(host.home))).map((key) => key.split('#')[0]);
    expect(changed.sort()).toEqual(['pool-source', 'pooled-host']);
    stored = storedIn(host.home);
  });
});

describe('a list', () => {
  const list = (query: string, path = '/api/v1/systems') => refused({ path: `${path}?${query}` });

  it('has pages of 1 to 200', async () => {
    for (const limit of ['0', '201', '-1', '1.5', 'many', ''])
      expect(await list(`limit=${limit}`), limit).toEqual([422, 'invalid', '/limit']);
  });
  it('goes on only by its own cursor', async () => {
    const { next } = JSON.parse((await rawCall(host.url, { path: '/api/v1/systems?limit=1&status=new' })).text) as { next: string };
    expect((await rawCall(host.url, { path: `/api/v1/systems?limit=1&status=new&cursor=${next}` })).status).toBe(200);

    const broken = `${next.slice(0, -2)}${next.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const query of [
      `limit=1&cursor=${next}`,
      `status=orphan&cursor=${next}`,
      `status=new&cursor=${broken}`,
      'cursor=x',
      'cursor=',
      'cursor=%ff',
    ])
      expect(await list(query), query).toEqual([400, 'bad-cursor', '/cursor']);
    expect(await list(`cursor=${next}`, '/api/v1/nodes')).toEqual([400, 'bad-cursor', '/cursor']);
    expect(await list(`cursor=${next}`, '/api/v1/zones')).toEqual([400, 'bad-cursor', '/cursor']);
  });
  it('of a zone, node or status that there is not is refused', async () => {
    expect(await list('zone=nowhere')).toEqual([404, 'unknown-zone']);
    expect(await list(`node=${unknownNode}`)).toEqual([404, 'unknown-node']);
    expect(await list('status=lost')).toEqual([422, 'invalid', '/status']);
  });
});

describe('a call from elsewhere', () => {
  it.each(['muster.acme.org', '127.0.0.1.acme.org', 'localhost.acme.org:8080', '192.0.2.1', ''])(
    'under the name %j is not for us',
    async (name) => {
      expect(await refused({ path: '/api/v1/status', headers: { host: name } })).toEqual([421, 'misdirected']);
      expect(await refused({ path: '/api/v1/events', headers: { host: name } })).toEqual([421, 'misdirected']);
    },
  );
});

describe('a call by a page', () => {
  const drop = (origin: string) =>
    rawCall(host.url, { method: 'POST', path: `/api/v1/nodes/${unknownNode}/drop`, headers: { ...json, origin }, body: '{}' });

  it.each(['https://acme.org', 'http://127.0.0.1.acme.org', 'http://192.0.2.1:8080', 'null', ''])(
    'of another site, %j, is refused',
    async (origin) => {
      expect(refusalIn(await drop(origin))).toEqual([403, 'cross-site']);
      expect(await refused({ path: '/api/v1/events', headers: { origin } })).toEqual([403, 'cross-site']);
    },
  );
  it.each(['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:3000'])('of loopback, %s, is answered', async (origin) => {
    expect(refusalIn(await drop(origin))).toEqual([404, 'unknown-node']);
  });
});

describe('an edit', () => {
  it('of a version that is no longer the newest is refused', async () => {
    for (const [path, body] of [
      [`/api/v1/nodes/${node.id}`, '{"weight":2}'],
      [`/api/v1/systems/${client.fp}`, '{"tags":["web"]}'],
      ['/api/v1/settings', '{"beatMinMs":2000}'],
    ] as const)
      expect(await refused({ method: 'PATCH', path, headers: { ...json, 'if-match': '"999"' }, body })).toEqual([412, 'version-conflict']);
  });
});
