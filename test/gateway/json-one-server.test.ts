import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AGateway, aGateway } from '../support/a-gateway.ts';
import { type JsonSent, jsonSession, jsonTo } from '../support/a-json-caller.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';

describe('the JSON interface of a gateway with one server', () => {
  let node: PlayedNode;
  let gateway: AGateway;
  let [direct, through] = ['', ''];
  beforeAll(async () => {
    node = await aPlayedNode('node1.acme.test', [1_000_010_000, 1_000_010_001]);
    gateway = await aGateway([node]);
    direct = await jsonSession(node.url);
    through = await jsonSession(gateway.url);
  });
  afterAll(async () => {
    await gateway.close();
    await node.close();
  });

  it.each<JsonSent>([
    { path: 'system/listSystems' },
    { path: 'system/getDetails?sid=1000010001' },
    { path: 'system/getDetails?sid=77' },
    { path: 'system/getDetails?sid=abc' },
    { path: 'system/getDetails' },
    { path: 'system/getDetails?sid=1&more=2' },
    { path: 'system/getId?name=a%20b%26c' },
    { path: 'system/config/listChannels?sid=1000010000' },
    { path: 'system/listActiveSystemsDetails?sids=1000010000&sids=1000010001' },
    { verb: 'POST', path: 'system/scheduleReboot', body: { sid: 1_000_010_000, earliestOccurrence: '2031-05-01T12:00:00Z' } },
    { verb: 'POST', path: 'system/scheduleReboot?sid=1000010000', body: { earliestOccurrence: '2031-05-01T12:00:00Z' } },
    { verb: 'POST', path: 'systemgroup/create', body: '{"name":"ä \\u00e4","description":' },
    { verb: 'POST', path: 'system/listSystems' },
    { path: 'nobody/knowsThis' },
    { path: 'api/getVersion' },
  ])('answers $verb $path as the server itself does, byte for byte', async (request) => {
    const [own, ours] = await Promise.all([jsonTo(node.url, direct, request), jsonTo(gateway.url, through, request)]);
    expect([ours.status, ours.type, ours.text]).toEqual([own.status, own.type, own.text]);
    expect([ours.headers['x-muster-failed'], ours.headers['cache-control']]).toEqual([undefined, 'no-store']);
  });

  it('signs in by a cookie as servers give it, which is good for XML-RPC as well', async () => {
    const request: JsonSent = { verb: 'POST', path: 'auth/login', body: { login: 'admin', password: 'secret' } };
    const [own, ours] = await Promise.all([jsonTo(node.url, undefined, request), jsonTo(gateway.url, undefined, request)]);
    expect([ours.status, ours.type, ours.text]).toEqual([own.status, own.type, own.text]);
    const shape = (cookies: unknown): unknown => (cookies as string[]).map((one) => one.replace(/[1-9]\d*x[a-f0-9]{64}/, 'KEY'));
    expect(shape(ours.headers['set-cookie'])).toEqual(shape(own.headers['set-cookie']));
    expect(await gateway.call('system.getUuid', ours.session ?? '', 1_000_010_000)).toEqual({ ok: true, value: 'uuid-of-1000010000' });
    expect(node.sessions.has(ours.session ?? '')).toBe(false);
  });

  it('answers a wrong password as the server does, and takes the name of the path of its pages', async () => {
    const wrong: JsonSent = { verb: 'POST', path: 'auth/login', body: { login: 'admin', password: 'wrong' } };
    const [own, ours] = await Promise.all([jsonTo(node.url, undefined, wrong), jsonTo(gateway.url, undefined, wrong)]);
    expect([own.status, ours.status, ours.text, ours.session]).toEqual([401, 401, own.text, undefined]);
    const pages = await jsonTo(gateway.url, undefined, { verb: 'POST', path: 'login', body: { username: 'admin', password: 'secret' } });
    expect(pages.session).toBeDefined();
  });

  it('asks for a session by 401, and ends one at the server as well', async () => {
    const session = await jsonSession(gateway.url);
    const before = node.sessions.size;
    expect(await jsonTo(gateway.url, session, { path: 'auth/logout' })).toMatchObject({ status: 200, text: '{"success":true}' });
    expect(node.sessions.size).toBe(before - 1);
    for (const path of ['system/listSystems', 'nobody/knowsThis', 'auth/logout', 'openapi'])
      expect((await jsonTo(gateway.url, session, { path })).status).toBe(401);
    expect((await jsonTo(gateway.url, undefined, { path: 'api/getVersion' })).text).toBe('{"success":true,"result":"29"}');
  });

  it('says 401 where the session at the server has ended', async () => {
    const session = await jsonSession(gateway.url);
    const others = new Map(node.sessions);
    node.sessions.clear();
    const ended = await jsonTo(gateway.url, session, { path: 'system/listSystems' });
    expect([ended.status, ended.text]).toEqual([401, expect.stringContaining('sign in again')]);
    for (const [key, login] of others) node.sessions.set(key, login);
    expect((await jsonTo(gateway.url, session, { path: 'system/listSystems' })).status).toBe(401);
  });

  it('says what has failed where the server breaks off, hangs or is away', async () => {
    for (const trouble of ['dies in the middle', 'closes', 'hangs', 'is away'] as const) {
      node.troubles.set('system.listSystems', trouble);
      const got = await jsonTo(gateway.url, through, { path: 'system/listSystems', headers: { 'x-deadline': '0.2' } });
      expect([got.status, got.type, JSON.parse(got.text)]).toEqual([
        200,
        'application/json',
        { success: false, message: expect.stringContaining('node1.acme.test did not answer') },
      ]);
      node.troubles.clear();
    }
  });

  it('describes itself to anybody', async () => {
    const got = await jsonTo(gateway.url, undefined, { path: 'openapi.json' });
    expect([got.status, got.type, JSON.parse(got.text)]).toEqual([
      200,
      'application/json',
      expect.objectContaining({ openapi: '3.1.0', servers: [{ url: '/rhn/manager/api' }] }),
    ]);
  });

  it('takes GET and POST alone', async () => {
    const got = await jsonTo(gateway.url, through, { verb: 'DELETE', path: 'system/listSystems' });
    expect([got.status, got.headers['allow']]).toEqual([405, 'GET, POST']);
  });
});
