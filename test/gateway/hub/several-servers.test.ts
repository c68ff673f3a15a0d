import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DateTime, type Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import { callText } from '../../../lib/uyuni/xml-rpc/write.ts';
import { type AGateway, aGateway, resultOf, twoEach } from '../../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode } from '../../support/a-played-node.ts';
import type { HubResults } from '../../support/hub-results.ts';

/** Each server counts its systems from the same number; those of the first keep theirs in the cluster. */
const first = 1_000_010_000;
const names = ['a.acme.test', 'b.acme.test', 'c.acme.test'] as const;
const ofB = 1_500_000_010;
const ofC = 1_500_000_020;
const aDate = new DateTime('20310501T12:00:00');

describe('the names of the hub, with several servers', () => {
  let nodes: PlayedNode[];
  let gateway: AGateway;
  let key: string;
  /** The numbers of the servers, in the order of their names. */
  let servers: number[];
  const called = (): readonly unknown[] => nodes.flatMap(({ name, calls }) => calls.map(({ method, params }) => [name, method, ...params]));
  const several = async (method: string, ...params: readonly Value[]): Promise<HubResults> =>
    resultOf(await gateway.hub.call(`multicast.${method}`, key, ...params)) as HubResults;
  beforeAll(async () => {
    nodes = await Promise.all(names.map((name) => aPlayedNode(name, [first, first + 1])));
    gateway = await aGateway(nodes, { places: twoEach(names, first), seat: names[1] });
    key = resultOf(await gateway.hub.call('hub.login', 'admin', 'secret')) as string;
    servers = resultOf(await gateway.hub.call('hub.listServerIds', key)) as number[];
  });
  afterAll(async () => {
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });
  beforeEach(() => {
    for (const one of nodes) {
      one.calls.length = 0;
      one.troubles.clear();
    }
  });

  it('list the servers by numbers that depend on their names alone', async () => {
    expect(servers).toEqual([260_200_775, 349_515_698, 720_152_109]);
    expect(resultOf(await gateway.hub.call('hub.listServers', key))).toEqual(names.map((name, n) => ({ id: servers[n], name })));
  });

  it('have the answer of each server, in the order in which they are named, with numbers of the cluster', async () => {
    const [a, b, c] = servers as [number, number, number];
    const { Successful, Failed } = await several('system.list_systems', [c, a, b]);
    expect(Successful.ServerIds).toEqual([c, a, b]);
    expect(Successful.Responses.map((list) => (list as { id: number }[]).map(({ id }) => id))).toEqual([
      [ofC, ofC + 1],
      [first, first + 1],
      [ofB, ofB + 1],
    ]);
    expect(Failed).toEqual({ ServerIds: [], Responses: [] });
    expect(called()).toEqual(names.map((name) => [name, 'system.list_systems']));
  });

  it('give each server its own arguments, and translate the systems in them', async () => {
    const [a, , c] = servers as [number, number, number];
    const { Successful, Failed } = await several('system.scheduleReboot', [a, c], [first + 1, ofC], [aDate, aDate]);
    expect([Successful, Failed]).toEqual([
      { ServerIds: [a, c], Responses: [7_000 + first + 1, 7_000 + first] },
      { ServerIds: [], Responses: [] },
    ]);
    expect(called()).toEqual([
      [names[0], 'system.scheduleReboot', first + 1, aDate],
      [names[2], 'system.scheduleReboot', first, aDate],
    ]);
  });

  it('send a call to the one server that is named, and give its answer as it is', async () => {
    const details = await gateway.hub.call('unicast.system.getDetails', key, servers[1]!, ofB + 1);
    expect(resultOf(details)).toMatchObject({ id: ofB + 1, node: names[1] });
    expect(called()).toEqual([[names[1], 'system.getDetails', first + 1]]);
    nodes[1]!.troubles.set('system.getUuid', { faults: { code: 2201, text: 'not <allowed> & so on' } });
    expect(await gateway.hub.call('unicast.system.getUuid', key, servers[1]!, ofB)).toEqual({
      ok: false,
      fault: { code: 2201, text: 'not <allowed> & so on' },
    });
  });

  it.each([
    ['of another server', ofC, `No such system - sid[${ofC}]: it is on c.acme.test, and not on b.acme.test`],
    [
      'that the server itself has for another system',
      first + 1,
      `No such system - sid[${first + 1}]: that is a number of b.acme.test itself, whose system has the number ${ofB + 1} in the cluster`,
    ],
    ['of no system', 77, 'No such system - sid[77]'],
  ])('never take a number %s for that of a system on the server', async (_what, id, text) => {
    const fault = { code: -208, text };
    expect(await gateway.hub.call('unicast.system.deleteSystem', key, servers[1]!, id)).toEqual({ ok: false, fault });
    expect(await gateway.hub.call('unicast.system.deleteSystems', key, servers[1]!, [ofB, id])).toEqual({ ok: false, fault });
    const { Failed } = await several('system.deleteSystem', [servers[1]!], [id]);
    expect(Failed).toEqual({ ServerIds: [servers[1]], Responses: [`Fault(-208): ${text}`] });
    expect(called()).toEqual([]);
  });

  it('pass on other numbers, which are the server’s own, and methods that need a server to be named', async () => {
    const action = resultOf(await gateway.hub.call('unicast.system.scheduleReboot', key, servers[2]!, ofC, aDate));
    expect(resultOf(await gateway.hub.call('unicast.schedule.cancelActions', key, servers[2]!, [action]))).toBe(1);
    expect(resultOf(await gateway.hub.call('unicast.schedule.listAllActions', key, servers[2]!))).not.toEqual([]);
    expect(called()).toEqual([
      [names[2], 'system.scheduleReboot', first, aDate],
      [names[2], 'schedule.cancelActions', [action]],
      [names[2], 'schedule.listAllActions'],
    ]);
  });

  it('change common content at the seat alone', async () => {
    const [a, b] = servers as [number, number];
    expect(await several('systemgroup.create', [a, b], ['x', 'x'], ['', ''])).toMatchObject({
      Successful: { ServerIds: [b], Responses: [{ name: 'x' }] },
      Failed: { ServerIds: [a], Responses: [expect.stringMatching(/^Fault\(10003\): .*which is edited on b\.acme\.test alone/)] },
    });
    expect(await gateway.hub.call('unicast.systemgroup.create', key, a, 'x', '')).toMatchObject({ ok: false, fault: { code: 10003 } });
    expect(called()).toEqual([[names[1], 'systemgroup.create', 'x', '']]);
  });

  it.each([
    ['recurring.listByEntity', ['minion', first]],
    ['ansible.lookupAnsiblePathById', [3]],
    ['system.listNewThings', []],
    ['custom.createThing', ['x']],
  ] as const)('refuse %s, in which a number of a system may hide', async (method, params) => {
    expect(await gateway.hub.call(`unicast.${method}`, key, servers[0]!, ...params)).toMatchObject({ ok: false, fault: { code: 10003 } });
    expect(called()).toEqual([]);
  });

  it('count the systems that have no number in the cluster', async () => {
    const few = await aGateway(nodes, { places: [[first, names[0], first]] });
    const own = resultOf(await few.hub.call('hub.login', 'admin', 'secret')) as string;
    const sent = await few.hub.send(callText('multicast.system.listSystems', [own, servers]));
    expect((resultOf(sent.read()) as HubResults).Successful.Responses.map((list) => (list as unknown[]).length)).toEqual([1, 0, 0]);
    expect(sent.headers['x-muster-failed']).toBe(
      'a.acme.test;unknown-systems=1, b.acme.test;unknown-systems=2, c.acme.test;unknown-systems=2',
    );
    await few.close();
  });

  it('take calls of any number of servers, and none', async () => {
    expect(await several('system.listSystems', [])).toEqual({
      Successful: { ServerIds: [], Responses: [] },
      Failed: { ServerIds: [], Responses: [] },
    });
  });

  it('go without a session to methods that need none', async () => {
    expect(resultOf(await gateway.hub.call('unicast.api.getVersion', key, servers[0]!))).toBe('29');
    expect((await several('api.getVersion', servers)).Successful.Responses).toEqual(['29', '29', '29']);
  });

  it('are only where the hub has them, and all other methods are there as well', async () => {
    expect(await gateway.call('hub.login', 'admin', 'secret')).toMatchObject({ ok: false, fault: { code: -1 } });
    expect(await gateway.call('multicast.system.listSystems', key, servers)).toMatchObject({ ok: false });
    expect(resultOf(await gateway.hub.call('system.listSystems', key))).toHaveLength(6);
    expect(resultOf(await gateway.call('system.listSystems', key))).toHaveLength(6);
    const plain = resultOf(await gateway.hub.call('auth.login', 'admin', 'secret')) as string;
    expect(resultOf(await gateway.hub.call('unicast.system.getDetails', plain, servers[0]!, first))).toMatchObject({ id: first });
    expect(resultOf(await gateway.hub.call('auth.logout', plain))).toBe(1);
  });

  it('are logged if they sign in or may change something', async () => {
    gateway.said.length = 0;
    const own = resultOf(await gateway.hub.call('hub.login', 'admin', 'secret')) as string;
    await gateway.hub.call('hub.listServerIds', own);
    await gateway.hub.call('multicast.system.listSystems', own, servers);
    await gateway.hub.call('unicast.system.deleteSystem', own, servers[1]!, ofB);
    await gateway.hub.call('hub.logout', own);
    expect(gateway.said.map((line) => line.replace(/ \d+ ms/, ''))).toEqual([
      'admin hub.login',
      'admin unicast.system.deleteSystem',
      '- hub.logout',
    ]);
  });
});

describe('the names of the hub, with one server', () => {
  it('pass everything on as it came, with the numbers of the server', async () => {
    const node = await aPlayedNode(names[0], [first]);
    const gateway = await aGateway([node]);
    const key = resultOf(await gateway.hub.call('hub.login', 'admin', 'secret')) as string;
    const [server = 0] = resultOf(await gateway.hub.call('hub.listServerIds', key)) as number[];
    const odd = { 'a & <b>': [new Uint8Array([0, 255]), null, 5_000_000_000, 1.5, true, aDate, ' x ', {}] };
    expect(resultOf(await gateway.hub.call('unicast.echo.getAll', key, server, odd))).toEqual([odd]);
    expect(resultOf(await gateway.hub.call('multicast.echo.getAll', key, [server], [odd]))).toMatchObject({
      Successful: { ServerIds: [server], Responses: [[odd]] },
    });
    expect(resultOf(await gateway.hub.call('unicast.system.getDetails', key, server, first))).toMatchObject({ id: first });
    expect(await gateway.hub.call('unicast.auth.logout', key, server)).toMatchObject({ ok: false, fault: { code: -1 } });
    expect(resultOf(await gateway.hub.call('multicast.systemgroup.create', key, [server], ['x'], ['']))).toMatchObject({
      Successful: { Responses: [{ name: 'x' }] },
    });
    await gateway.close();
    await node.close();
  });
});
