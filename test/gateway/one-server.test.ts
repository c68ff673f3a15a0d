import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callText } from '../../lib/uyuni/xml-rpc/write.ts';
import { type AGateway, aGateway, resultOf, sendTo } from '../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';

describe('a gateway with one server', () => {
  let node: PlayedNode;
  let gateway: AGateway;
  let [direct, through] = ['', ''];
  beforeAll(async () => {
    node = await aPlayedNode('node1.acme.test', [1_000_010_000, 1_000_010_001]);
    gateway = await aGateway([node]);
    direct = resultOf((await sendTo(node.url, callText('auth.login', ['admin', 'secret']))).read()) as string;
    through = resultOf(await gateway.call('auth.login', 'admin', 'secret')) as string;
  });
  afterAll(async () => {
    await gateway.close();
    await node.close();
  });

  it('gives a session key of the form that servers give, which is not the server’s', () => {
    expect(through).toMatch(/^[1-9][0-9]*x[a-f0-9]{64}$/);
    expect(node.sessions.has(through)).toBe(false);
  });

  it.each([
    ['system.listSystems', []],
    ['system.getDetails', [1_000_010_001]],
    ['system.getDetails', [77]],
    ['system.scheduleReboot', [1_000_010_000]],
    ['system.scheduleApplyHighstate', [[1_000_010_000, 1_000_010_001]]],
    ['systemgroup.create', ['new']],
    ['user.getDetails', ['admin']],
    ['nobody.knowsThis', [1, 'two', { three: [true, null] }]],
    ['system.list_systems', []],
  ] as const)('answers %s %j as the server itself does, byte for byte', async (method, params) => {
    const [own, ours] = await Promise.all([
      sendTo(node.url, callText(method, [direct, ...params])),
      gateway.send(callText(method, [through, ...params])),
    ]);
    expect(ours.text).toBe(own.text);
    expect([ours.status, ours.headers['content-type']]).toEqual([200, 'text/xml']);
    expect(ours.headers['x-muster-failed']).toBeUndefined();
  });

  it('answers methods without a session, and a wrong login, as the server does', async () => {
    expect(resultOf(await gateway.call('api.getVersion'))).toBe('29');
    expect(await gateway.call('auth.login', 'admin', 'wrong')).toEqual({
      ok: false,
      fault: { code: 2950, text: 'Either the password or username is incorrect.' },
    });
  });

  it('passes values on as they were written', async () => {
    const values =
      '<param><value>  untyped &amp; blank </value></param><param><value><i8>5000000000</i8></value></param><param><value><double>3.0</double></value></param><param><value><i4>-7</i4></value></param><param><value><base64>AAEC/w==</base64></value></param><param><value><nil/></value></param><param><value><dateTime.iso8601>20310501T12:00:00</dateTime.iso8601></value></param><param><value><struct><member><name>a &amp; b</name><value><array><data><value><boolean>1</boolean></value></data></array></value></member></struct></value></param>';
    const call = `<?xml version="1.0"?><methodCall><methodName>echo.getAll</methodName><params><param><value><string>${through}\n</string></value></param>${values}</params></methodCall>`;
    node.calls.length = 0;
    const answer = (await gateway.send(call)).read();
    expect(answer).toEqual({ ok: true, value: node.calls[0]?.params });
    expect(node.calls[0]?.params).toMatchObject([
      '  untyped & blank ',
      5_000_000_000,
      3,
      -7,
      new Uint8Array([0, 1, 2, 255]),
      null,
      { text: '20310501T12:00:00' },
      { 'a & b': [true] },
    ]);
  });

  it('encodes long answers for callers that take it', async () => {
    const long = 'x'.repeat(5_000);
    const call = callText('echo.getAll', [through, long]);
    const sent = await gateway.send(call, { 'accept-encoding': 'gzip, deflate' });
    expect(sent.headers['content-encoding']).toBe('gzip');
    expect(resultOf(sent.read())).toEqual([long]);
    expect((await gateway.send(call)).headers['content-encoding']).toBeUndefined();
    expect((await gateway.send(call, { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding']).toBeUndefined();
  });

  it('answers a fault where the server breaks off, and breaks off itself once it has sent a part', async () => {
    node.troubles.set('system.listSystems', 'dies in the middle');
    expect(await gateway.call('system.listSystems', through)).toMatchObject({
      ok: false,
      fault: { code: -1, text: expect.stringContaining('node1.acme.test') },
    });
    node.troubles.set('echo.getAll', 'dies in the middle');
    await expect(gateway.call('echo.getAll', through, 'x'.repeat(4_000_000))).rejects.toThrow();
    node.troubles.set('system.listSystems', 'closes');
    expect(await gateway.call('system.listSystems', through)).toMatchObject({
      ok: false,
      fault: { code: -1, text: expect.stringContaining('node1.acme.test') },
    });
    node.troubles.clear();
  });

  it('takes XML-RPC by POST alone, at its path', async () => {
    const got = await sendTo(gateway.url, '', {}, 'GET');
    expect([got.status, got.headers['allow']]).toEqual([405, 'POST']);
    expect((await fetch(`${gateway.url}/`)).status).toBe(404);
  });
});
