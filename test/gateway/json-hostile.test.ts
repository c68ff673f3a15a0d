import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AGateway, aGateway } from '../support/a-gateway.ts';
import { type JsonSent, jsonSession, jsonTo } from '../support/a-json-caller.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';

type Hostile = readonly [what: string, sent: JsonSent, status: number, text: RegExp];

const noForm = /^No method exists with the matching parameters$/;
const post = (path: string, body: unknown): JsonSent => ({ verb: 'POST', path, body });
const ofDelete = (body: string): JsonSent => post('system/deleteSystem', body);
const deep = (n: number): string => `{"sid":${'['.repeat(n)}${']'.repeat(n)}}`;

const hostile: readonly Hostile[] = [
  ['no JSON', ofDelete('hello'), 500, /^\{"message":"/],
  ['XML', ofDelete('<methodCall/>'), 500, /^\{"message":"/],
  ['half an object', ofDelete('{"sid":1,'), 500, /^\{"message":"/],
  ['two objects', ofDelete('{"sid":1}{"sid":2}'), 500, /^\{"message":"/],
  ['names without quotes', ofDelete("{sid:'1'}"), 500, /^\{"message":"/],
  ['an array', ofDelete('[1]'), 400, /^JSON body must be an object$/],
  ['a number', ofDelete('1'), 400, /^JSON body must be an object$/],
  ['null', ofDelete('null'), 400, noForm],
  ['nothing', ofDelete(''), 400, noForm],
  ['10,000 levels', ofDelete(deep(10_000)), 500, /more than 200 deep/],
  ['a million values', ofDelete(`{"sid":[${'1,'.repeat(1_000_000)}1]}`), 500, /more than 150000 values/],
  ['10 MB', ofDelete(`{"sid":"${'x'.repeat(10_000_000)}"}`), 400, /more than 8388608 bytes/],
  ['a number that is none', ofDelete('{"sid":12abc}'), 500, /^\{"message":"/],
  ['a number without end', ofDelete(`{"sid":${'9'.repeat(400)}}`), 200, /a list of systems has something that is no number/],
  ['a number with a point', ofDelete('{"sid":1.5}'), 400, noForm],
  ['a system that is a list', ofDelete('{"sid":[101]}'), 400, noForm],
  ['a system that is an object', ofDelete('{"sid":{"id":101}}'), 400, noForm],
  ['a system that is null', ofDelete('{"sid":null}'), 400, noForm],
  ['a system that is true', ofDelete('{"sid":true}'), 400, noForm],
  ['a system below zero', ofDelete('{"sid":-5}'), 200, /No such system - sid\[0\]/],
  ['a system beyond 31 bits', ofDelete('{"sid":5000000000}'), 200, /No such system - sid\[5000000000\]/],
  ['another name', ofDelete('{"serverId":101}'), 400, noForm],
  ['one name too many', ofDelete('{"sid":101,"sudo":true}'), 400, noForm],
  ['a name of a prototype', ofDelete('{"__proto__":{"sid":101}}'), 400, noForm],
  ['a name twice, the last of which counts', ofDelete('{"sid":101,"sid":5}'), 200, /sid\[5\]/],
  ['a list with an object in it', post('system/deleteSystems', { sids: [{}] }), 200, /something that is no number/],
  ['an object in a query', { path: 'system/getDetails?sid=%7B%22a%22:1%7D' }, 400, /^Complex types are not allowed in query string$/],
  ['a list in a query', { path: 'system/getDetails?sid=[101]' }, 400, /^Complex types are not allowed in query string$/],
  ['words for a number in a query', { path: 'system/getDetails?sid=abc' }, 400, noForm],
  ['an empty value in a query', { path: 'system/getDetails?sid=' }, 400, noForm],
  ['a system twice in a query', { path: 'system/getDetails?sid=101&sid=102' }, 400, noForm],
  ['a method that writes, by GET', { path: 'system/deleteSystem?sid=101' }, 403, /no method GET system.deleteSystem/],
  ['a method that reads, by POST', post('system/getDetails', { sid: 101 }), 403, /no method POST system.getDetails/],
  ['a method in words of XML-RPC', { path: 'system/list_systems' }, 403, /does not know/],
  ['a method with points', { path: 'system.listSystems' }, 403, /no method at this path/],
  ['a path out of the interface', { path: '%2e%2e/%2e%2e/login' }, 404, /The interfaces are at/],
  ['a path with escapes', { path: 'system/%6cistSystems' }, 403, /no method at this path/],
  ['a path of a prototype', { path: 'constructor' }, 403, /does not know/],
  ['nothing at all', { path: '' }, 403, /no method at this path/],
  ['a method that nobody has, and that writes', post('taskomatic/org/runNow', {}), 403, /does not know/],
  ['a login without a password', post('auth/login', { login: 'admin' }), 400, /login and password/],
  ['a login of an object', post('auth/login', { login: {}, password: [] }), 400, /login and password/],
  ['a login that is broken', post('auth/login', '{"login":'), 500, /^\{"message":"/],
  ['another method of auth', { path: 'auth/isSessionKeyValid' }, 403, /no method auth.isSessionKeyValid/],
  ['a deadline of nothing', { path: 'system/listSystems', headers: { 'x-deadline': '0' } }, 400, /X-Deadline/],
  ['an encoding', { verb: 'POST', path: 'system/deleteSystem', body: '{}', headers: { 'content-encoding': 'gzip' } }, 400, /encoded/],
];

describe('a hostile call of the JSON interface', () => {
  let nodes: PlayedNode[];
  let gateway: AGateway;
  let session: string;
  beforeAll(async () => {
    nodes = await Promise.all(['a.acme.test', 'b.acme.test'].map((name) => aPlayedNode(name, [1])));
    gateway = await aGateway(nodes, { places: [[101, 'a.acme.test', 1]] });
    session = await jsonSession(gateway.url);
  });
  afterAll(async () => {
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });
  beforeEach(() => {
    for (const node of nodes) node.calls.length = 0;
  });

  it.each(hostile)('of %s is refused, and no server hears of it', async (_what, sent, status, text) => {
    const got = await jsonTo(gateway.url, session, sent);
    expect([got.status, got.text]).toEqual([status, expect.stringMatching(text)]);
    expect(nodes.flatMap(({ calls }) => calls)).toEqual([]);
    expect(await jsonSession(gateway.url)).toBeDefined();
  });

  it.each([
    ['nobody', undefined],
    ['a key that nobody has', `1x${'0'.repeat(64)}`],
    ['a key of another form', 'abc'],
    ['a key of a server', 'of a server'],
  ])('by %s asks for a session, and no server hears of it', async (_whose, key) => {
    const sent = key === 'of a server' ? [...nodes[0]!.sessions.keys()][0] : key;
    for (const request of [{ path: 'system/listSystems' }, ofDelete('{"sid":101}'), { path: 'nobody/knows' }]) {
      const got = await jsonTo(gateway.url, sent, request);
      expect([got.status, got.session, JSON.parse(got.text)]).toEqual([401, undefined, expect.objectContaining({ success: false })]);
    }
    expect(nodes.flatMap(({ calls }) => calls)).toEqual([]);
  });

  it('after its session has ended asks for another', async () => {
    const own = await jsonSession(gateway.url);
    gateway.moved.ms += 3_600_001;
    expect((await jsonTo(gateway.url, own, { path: 'system/listSystems' })).status).toBe(401);
    session = await jsonSession(gateway.url);
  });

  it('of 100 MB is read to its end, and refused', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${gateway.url}/rhn/manager/api/system/deleteSystem`, {
        method: 'POST',
        headers: { cookie: `pxt-session-cookie=${session}` },
      });
      sent.once('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.once('error', reject);
      const part = Buffer.alloc(1024 * 1024, '1');
      let left = 100;
      const more = (): void => {
        while (left-- > 0) if (!sent.write(part)) return void sent.once('drain', more);
        sent.end();
      };
      more();
    });
    expect(status).toBe(400);
    expect(nodes.flatMap(({ calls }) => calls)).toEqual([]);
  });
});
