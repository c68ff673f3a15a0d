import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AGateway, aGateway, twoEach } from '../support/a-gateway.ts';
import { type JsonGot, type JsonSent, jsonSession, jsonTo } from '../support/a-json-caller.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';

const first = 1_000_010_000;
const names = ['a.acme.test', 'b.acme.test', 'c.acme.test'] as const;
const date = '2031-05-01T12:00:00Z';
type Listed = { readonly id: number; readonly name: string };

describe('the JSON interface of a gateway with several servers', () => {
  let nodes: PlayedNode[];
  let gateway: AGateway;
  let session: string;
  const node = (n: number): PlayedNode => nodes[n]!;
  const called = (method: string): readonly unknown[] =>
    nodes.flatMap(({ name, calls }) => calls.filter((one) => one.method === method).map(({ params }) => [name, ...params]));
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<JsonGot> =>
    jsonTo(gateway.url, session, { path, headers });
  const post = (path: string, body: unknown): Promise<JsonGot> => jsonTo(gateway.url, session, { verb: 'POST', path, body });
  beforeAll(async () => {
    nodes = await Promise.all(names.map((name) => aPlayedNode(name, [first, first + 1])));
    gateway = await aGateway(nodes, { places: twoEach(names, first) });
    session = await jsonSession(gateway.url);
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

  it('lists the systems of all, each by its number in the cluster, and moments as servers write them', async () => {
    const got = await get('system/listSystems');
    expect([got.status, got.type]).toEqual([200, 'application/json']);
    expect(got.result()).toHaveLength(6);
    expect((got.result() as Listed[]).map(({ id }) => id)).toEqual([
      ...[first, first + 1],
      ...[1_500_000_010, 1_500_000_011, 1_500_000_020, 1_500_000_021],
    ]);
    expect((got.result() as unknown[])[0]).toMatchObject({ last_checkin: date });
    expect(got.session).toBe(session);
  });

  it('sends a call about a system to the server where it lives, by a query and by a body', async () => {
    expect((await get('system/getDetails?sid=1500000011')).result()).toMatchObject({ id: 1_500_000_011, node: 'b.acme.test' });
    expect(called('system.getDetails')).toEqual([['b.acme.test', first + 1]]);
    const got = await post('system/scheduleReboot', { sid: 1_500_000_020, earliestOccurrence: date });
    const followed = await get(`schedule/listInProgressSystems?actionId=${got.result()}`);
    expect(followed.result()).toEqual([{ server_id: 1_500_000_020, server_name: `s${first}.c.acme.test` }]);
    expect(called('system.scheduleReboot')).toEqual([['c.acme.test', first, { text: date }]]);
    expect((await get('system/getDetails?sid=4')).text).toBe('{"success":false,"message":"No such system - sid[4]"}');
  });

  it('splits a call about systems of several servers, and takes one system for a list', async () => {
    const details = await get('system/listActiveSystemsDetails?sids=1500000021&sids=1000010000&sids=1500000020');
    expect((details.result() as Listed[]).map(({ id }) => id).sort()).toEqual([first, 1_500_000_020, 1_500_000_021]);
    expect(called('system.listActiveSystemsDetails')).toEqual([
      ['a.acme.test', [first]],
      ['c.acme.test', [first + 1, first]],
    ]);
    expect((await get('system/listActiveSystemsDetails?sids=1500000010')).result()).toMatchObject([{ id: 1_500_000_010 }]);
    expect((await post('system/deleteSystems', { sids: [1_500_000_021, first] })).text).toBe('{"success":true,"result":1}');
  });

  it('says where a split call was done, if it was not done everywhere', async () => {
    node(2).troubles.set('system.deleteSystems', { faults: { code: 1003, text: 'systems not deleted' } });
    expect(JSON.parse((await post('system/deleteSystems', { sids: [first, 1_500_000_020] })).text)).toEqual({
      success: false,
      message: 'systems not deleted (not done on c.acme.test; done on a.acme.test)',
    });
  });

  it('passes arguments on as they were written', async () => {
    await get(`system/getId?name=${encodeURIComponent('"007"')}`);
    expect(called('system.getId')[0]).toEqual(['a.acme.test', '007']);
    await get('systemgroup/listSystemsMinimal?systemGroupName=a%2Bb%20%26%20c%3Dd');
    expect(called('systemgroup.listSystemsMinimal')[0]).toEqual(['a.acme.test', 'a+b & c=d']);
  });

  it('counts the systems of a group over all servers', async () => {
    expect((await get('systemgroup/listAllGroups')).result()).toMatchObject([{ name: 'web', system_count: 6 }]);
    expect((await get('systemgroup/getDetails?systemGroupName=web')).result()).toMatchObject({ name: 'web', system_count: 6 });
    expect(Object.keys((await get('system/getMinionIdMap')).result() as object)).toHaveLength(6);
  });

  it('names a server that fails in a header, and gives what the others have', async () => {
    for (const [trouble, code] of [
      ['closes', 'lost'],
      ['is away', 'lost'],
      ['is malformed', 'malformed'],
      ['lies', 'not-an-array'],
      [{ faults: { code: -1, text: 'no' } }, 'fault'],
    ] as const) {
      node(1).troubles.set('system.listSystems', trouble);
      const got = await get('system/listSystems');
      expect([got.headers['x-muster-failed'], (got.result() as Listed[]).length]).toEqual([`b.acme.test;${code}`, 4]);
      node(1).troubles.clear();
      expect((await get('system/listSystems')).headers['x-muster-failed']).toBeUndefined();
    }
    node(1).troubles.set('system.listSystems', { faults: { code: -1, text: 'no' } });
    const strict = await get('system/listSystems', { 'x-strict': 'true' });
    expect(JSON.parse(strict.text)).toEqual({ success: false, message: 'b.acme.test: no' });
    node(1).troubles.set('system.listSystems', 'hangs');
    const late = await get('system/listSystems', { 'x-deadline': '0.1' });
    expect([late.headers['x-muster-failed'], (late.result() as Listed[]).length]).toEqual(['b.acme.test;deadline', 4]);
  });

  it('reads common content from another server if one fails', async () => {
    const [one] = (await get('channel/software/listArches')).result() as Listed[];
    nodes.find(({ name }) => name === one?.name)?.troubles.set('channel.software.listArches', 'closes');
    const [other] = (await get('channel/software/listArches')).result() as Listed[];
    expect(names).toContain(other?.name);
    expect(other?.name).not.toBe(one?.name);
  });

  it('has a session for what a server gave, and 401 for a call to one where the person has none', async () => {
    node(1).people.set('admin', 'other');
    const half = await jsonSession(gateway.url);
    node(1).people.set('admin', 'secret');
    const listed = await jsonTo(gateway.url, half, { path: 'system/listSystems' });
    expect(listed.headers['x-muster-failed']).toBe('b.acme.test;sign-in');
    const there = await jsonTo(gateway.url, half, { path: 'system/getDetails?sid=1500000010' });
    expect([there.status, there.text]).toEqual([401, expect.stringContaining('b.acme.test')]);
  });

  it.each<JsonSent & { readonly why: string }>([
    { verb: 'POST', path: 'systemgroup/create', body: { name: 'n', description: 'd' }, why: 'no server is named on which that is edited' },
    { verb: 'POST', path: 'schedule/cancelActions', body: { actionIds: [4] }, why: 'Could not find action with id: 4' },
    { verb: 'POST', path: 'system/scheduleApplyErrata', body: { sid: first, errataIds: [1] }, why: 'each server counts its own' },
  ])('refuses $verb $path, and no server hears of it', async ({ why, ...request }) => {
    const got = await jsonTo(gateway.url, session, request);
    expect([got.status, JSON.parse(got.text)]).toEqual([200, { success: false, message: expect.stringContaining(why) }]);
    expect(nodes.flatMap(({ calls }) => calls)).toEqual([]);
  });

  it('gives one number for what several servers schedule, by which it is followed and cancelled', async () => {
    const sids = [first, 1_500_000_010];
    const got = await post('system/scheduleApplyHighstate', { sids, earliestOccurrence: date, test: false });
    const number = got.result() as number;
    const systems = async () =>
      ((await get(`schedule/listInProgressSystems?actionId=${number}`)).result() as { server_id: number }[]).map((one) => one.server_id);
    expect(await systems()).toEqual(sids);
    expect((await get('schedule/listAllActions')).result()).toContainEqual(
      expect.objectContaining({ id: number, name: 'highstate', inProgressSystems: 2 }),
    );
    expect((await post('schedule/cancelActions', { actionIds: [number] })).result()).toBe(1);
    expect(await systems()).toEqual([]);
  });

  it('asks a server for a method that Muster does not know, if it reads and takes texts alone', async () => {
    expect((await get('packages/listNobodyKnows?name=a')).status).toBe(403);
    expect((await get('packages/listNobodyKnows?id=5')).text).toContain('it is a method that Muster does not know');
  });

  it('logs what may change something, without arguments', async () => {
    gateway.said.length = 0;
    await get('system/getUuid?sid=1500000011');
    await post('system/deleteSystem', { sid: 1_500_000_011 });
    expect(gateway.said).toEqual([expect.stringMatching(/^admin system\.deleteSystem \d+ ms$/)]);
  });
});

describe('the JSON interface of a gateway with a seat', () => {
  it('sends what changes common content there, and nowhere else', async () => {
    const nodes = await Promise.all(names.map((name) => aPlayedNode(name, [])));
    const gateway = await aGateway(nodes, { seat: names[1] });
    const session = await jsonSession(gateway.url);
    const got = await jsonTo(gateway.url, session, { verb: 'POST', path: 'systemgroup/create', body: { name: 'n', description: 'd' } });
    expect(got.result()).toMatchObject({ name: 'n' });
    expect(nodes.map(({ calls }) => calls.length)).toEqual([0, 1, 0]);
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });
});

describe('the JSON interface of a gateway without a server', () => {
  it('lets nobody sign in, by a status', async () => {
    const gateway = await aGateway([]);
    const got = await jsonTo(gateway.url, undefined, { verb: 'POST', path: 'auth/login', body: { login: 'admin', password: 'secret' } });
    expect([got.status, got.session, JSON.parse(got.text)]).toEqual([503, undefined, expect.objectContaining({ success: false })]);
    await gateway.close();
  });
});

describe('the JSON interface for the last of several servers', () => {
  it('is called with its own numbers, as the numbers of the cluster may be other systems there', async () => {
    const nodes = await Promise.all(names.map((name) => aPlayedNode(name, [1, 2])));
    const places = names.flatMap((name, n) => [1, 2].map((local) => [n === 0 ? local : 100 * n + local, name, local] as const));
    const gateway = await aGateway(nodes, { places });
    const session = await jsonSession(gateway.url);
    gateway.knowsOnly(names[1]);
    expect((await jsonTo(gateway.url, session, { path: 'system/listSystems' })).result()).toMatchObject([{ id: 101 }, { id: 102 }]);
    const got = await jsonTo(gateway.url, session, { verb: 'POST', path: 'system/deleteSystem', body: { sid: 1 } });
    expect(JSON.parse(got.text)).toMatchObject({ success: false, message: 'No such system - sid[1]' });
    expect(nodes[1]!.calls.map(({ method }) => method)).toEqual(['system.listSystems']);
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });
});
