import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import { callText } from '../../../lib/uyuni/xml-rpc/write.ts';
import { sessionsInMemory } from '../../../programs/gateway/sessions.ts';
import { type AGateway, resultOf } from '../../support/a-gateway.ts';
import { aGatewayForPeople, type GatewayForPeople } from '../../support/a-gateway-for-people.ts';
import type { PlayedNode } from '../../support/a-played-node.ts';

describe('a session at the hub', () => {
  let made: GatewayForPeople;
  let gateway: AGateway;
  let nodes: readonly PlayedNode[];
  let servers: number[];
  const [a, b] = [(): PlayedNode => made.a, (): PlayedNode => made.b];
  const login = async (name: string, password: string): Promise<string> =>
    resultOf(await gateway.hub.call('hub.login', name, password)) as string;
  const hub = async (method: string, ...params: readonly Value[]): Promise<Value> => resultOf(await gateway.hub.call(method, ...params));
  /** As whom each server was called with this method. */
  const loginsOf = (method: string): readonly unknown[] =>
    nodes.flatMap(({ name, calls }) => calls.filter((one) => one.method === method).map((one) => [name[0], one.login]));
  beforeEach(async () => {
    made = await aGatewayForPeople();
    ({ gateway, nodes } = made);
    servers = (await hub('hub.listServerIds', await login('ada', 'lovelace'))) as number[];
  });
  afterEach(() => made.close());

  it.each(['hub.login', 'hub.loginWithAuthRelayMode'])('by %s is good for all calls, and ends everywhere', async (method) => {
    const before = nodes.map(({ sessions }) => sessions.size);
    const key = (await hub(method, 'ada', 'lovelace')) as string;
    expect(await hub('hub.attachToServers', key, servers)).toEqual({
      Successful: { ServerIds: servers, Responses: [key, key] },
      Failed: { ServerIds: [], Responses: [] },
    });
    expect(await hub('system.listSystems', `${key}\n`)).toHaveLength(2);
    expect(await hub('multicast.system.listSystems', `${key}\n`, servers)).toMatchObject({ Successful: { ServerIds: servers } });
    expect(await hub('hub.logout', key)).toBe('');
    expect(nodes.map(({ sessions }) => sessions.size)).toEqual(before);
    for (const one of ['hub.listServerIds', 'hub.logout', 'hub.attachToServers', 'multicast.system.listSystems'])
      expect(await gateway.hub.call(one, key, servers)).toMatchObject({
        fault: { code: -1, text: expect.stringContaining('Could not find session') },
      });
  });

  it('with connections says at which servers its person is signed in', async () => {
    b().people.set('ada', 'another');
    const answer = await hub('hub.loginWithAutoconnectMode', 'ada', 'lovelace');
    expect(answer).toEqual({
      SessionKey: expect.stringMatching(/^[1-9][0-9]*x[a-f0-9]{64}$/),
      Successful: { ServerIds: [servers[0]], Responses: [(answer as { SessionKey: string }).SessionKey] },
      Failed: { ServerIds: [servers[1]], Responses: ['Fault(2950): b.acme.test: Either the password or username is incorrect.'] },
    });
  });

  it.each(['hub.login', 'hub.loginWithAuthRelayMode', 'hub.loginWithAutoconnectMode'])(
    'does not begin by %s with a wrong password, whose fault is that of the server',
    async (method) => {
      expect(await gateway.hub.call(method, 'ada', 'hopper')).toEqual({
        ok: false,
        fault: { code: 2950, text: 'Either the password or username is incorrect.' },
      });
    },
  );

  it('goes on as others where they were attached, and as its own person in all other calls', async () => {
    const key = await login('ada', 'lovelace');
    expect(await hub('hub.attachToServers', key, [servers[1]!], ['grace'], ['hopper'])).toMatchObject({
      Successful: { ServerIds: [servers[1]] },
    });
    await hub('multicast.system.listSystems', key, servers);
    expect(loginsOf('system.listSystems')).toEqual([
      ['a', 'ada'],
      ['b', 'grace'],
    ]);
    await hub('unicast.system.getDetails', key, servers[1]!, 201);
    await hub('system.getUuid', key, 201);
    expect([...loginsOf('system.getDetails'), ...loginsOf('system.getUuid')]).toEqual([
      ['b', 'grace'],
      ['b', 'ada'],
    ]);
    await hub('hub.attachToServers', key, servers);
    await hub('unicast.system.getNetwork', key, servers[1]!, 201);
    expect(loginsOf('system.getNetwork')).toEqual([['b', 'ada']]);
    expect(gateway.said.map((line) => line.replace(/ \d+ ms/, ''))).toContain('ada as grace hub.attachToServers');
  });

  it('names in the log as whom it writes', async () => {
    const key = await login('ada', 'lovelace');
    await hub('hub.attachToServers', key, [servers[1]!], ['grace'], ['hopper']);
    await hub('unicast.system.deleteSystem', key, servers[1]!, 201);
    await hub('unicast.system.deleteSystem', key, servers[0]!, 101);
    expect(gateway.said.map((line) => line.replace(/ \d+ ms/, '')).slice(-2)).toEqual([
      'ada as grace unicast.system.deleteSystem',
      'ada unicast.system.deleteSystem',
    ]);
  });

  it('is nobody’s where others could not be attached, and never its own person’s instead', async () => {
    const key = await login('ada', 'lovelace');
    const wrong = await hub('hub.attachToServers', key, servers, ['ada', 'grace'], ['lovelace', 'wrong']);
    expect(wrong).toMatchObject({
      Successful: { ServerIds: [servers[0]] },
      Failed: { ServerIds: [servers[1]], Responses: [expect.stringMatching(/^Fault\(2950\)/)] },
    });
    expect(await gateway.hub.call('unicast.system.getDetails', key, servers[1]!, 201)).toMatchObject({ ok: false, fault: { code: 2950 } });
    b().trouble = 'closes';
    await hub('hub.attachToServers', key, [servers[1]!], ['grace'], ['hopper']);
    b().trouble = undefined;
    expect(await hub('multicast.system.listSystems', key, servers)).toMatchObject({
      Successful: { ServerIds: [servers[0]] },
      Failed: { ServerIds: [servers[1]], Responses: [expect.stringContaining('Could not find session at b.acme.test')] },
    });
    expect(loginsOf('system.listSystems')).toEqual([['a', 'ada']]);
    expect(await hub('system.listSystems', key)).toHaveLength(2);
  });

  it('ends for those who were attached as well, and one that their server has ended is not tried again', async () => {
    const before = nodes.map(({ sessions }) => sessions.size);
    const key = await login('ada', 'lovelace');
    await hub('hub.attachToServers', key, [servers[1]!], ['grace'], ['hopper']);
    const [grace] = [...b().sessions].filter(([, who]) => who === 'grace').map(([own]) => own);
    b().sessions.delete(grace!);
    const lost = expect.stringContaining('Could not find session');
    for (let n = 0; n < 2; n++)
      expect(await hub('multicast.system.listSystems', key, servers)).toMatchObject({ Failed: { Responses: [lost] } });
    expect(b().calls.filter(({ method }) => method === 'system.listSystems')).toHaveLength(1);
    // The session of its own person is another one.
    expect(await hub('system.listSystems', key)).toHaveLength(2);
    await hub('hub.attachToServers', key, [servers[1]!], ['grace'], ['hopper']);
    await hub('hub.logout', key);
    expect(nodes.map(({ sessions }) => sessions.size)).toEqual(before);
  });

  it('ends at a server for whoever was attached there before, once another is, or its own person again', async () => {
    const key = await login('ada', 'lovelace');
    const others = () => [...b().sessions.values()].filter((who) => who === 'grace').length;
    const listed = () => hub('multicast.system.listSystems', key, servers);
    for (let n = 0; n < 3; n++) {
      await hub('hub.attachToServers', key, [servers[1]!], ['grace'], ['hopper']);
      expect([others(), await listed()]).toMatchObject([1, { Successful: { ServerIds: servers } }]);
    }
    // Nobody is attached any more where a password was wrong.
    await hub('hub.attachToServers', key, [servers[1]!], ['grace'], ['wrong']);
    expect(others()).toBe(0);
    await hub('hub.attachToServers', key, [servers[1]!], ['grace'], ['hopper']);
    const own = b().sessions.size - 1;
    await hub('hub.attachToServers', key, servers);
    expect([others(), b().sessions.size]).toEqual([0, own]);
    expect(await listed()).toMatchObject({ Successful: { ServerIds: servers } });
    expect(gateway.said.filter((line) => line.includes('not signed out'))).toEqual([]);
  });

  it('that its server does not end is named in the log, and of a logout in the headers', async () => {
    const key = await login('ada', 'lovelace');
    const attach = callText('hub.attachToServers', [key, [servers[1]!], ['grace'], ['hopper']]);
    await gateway.hub.send(attach);
    b().troubles.set('auth.logout', 'closes');
    const again = await gateway.hub.send(attach);
    expect(resultOf(again.read())).toMatchObject({ Successful: { ServerIds: [servers[1]] } });
    // What was asked for is done.
    expect(again.headers['x-muster-failed']).toBeUndefined();
    expect(gateway.said.at(-1)).toMatch(/^ada as grace hub\.attachToServers \d+ ms; not signed out: b\.acme\.test;lost$/);
    const logout = await gateway.hub.send(callText('hub.logout', [key]));
    expect(logout.headers['x-muster-failed']).toBe('b.acme.test;lost');
    expect(gateway.said.at(-1)).toMatch(/^- hub\.logout \d+ ms; incomplete: b\.acme\.test;lost$/);
  });

  it('of one person never answers another, whoever they attach as', async () => {
    const keys = { ada: await login('ada', 'lovelace'), grace: await login('grace', 'hopper') };
    await Promise.all([
      hub('hub.attachToServers', keys.ada, [servers[0]!], ['grace'], ['hopper']),
      hub('hub.attachToServers', keys.grace, [servers[1]!], ['ada'], ['lovelace']),
    ]);
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        n % 2 === 0
          ? hub('multicast.system.listSystems', keys.ada, servers)
          : hub('multicast.system.getDetails', keys.grace, servers, [101, 201]),
      ),
    );
    const distinct = (method: string): unknown[] => [...new Set(loginsOf(method).map((one) => JSON.stringify(one)))].sort();
    expect(distinct('system.listSystems')).toEqual(['["a","grace"]', '["b","ada"]']);
    expect(distinct('system.getDetails')).toEqual(['["a","grace"]', '["b","ada"]']);
    await hub('hub.logout', keys.ada);
    expect(await hub('multicast.system.listSystems', keys.grace, servers)).toMatchObject({ Successful: { ServerIds: servers } });
    expect(loginsOf('system.listSystems').slice(-1)).toEqual([['b', 'ada']]);
    expect(a().calls.at(-1)?.login).toBe('grace');
  });

  it('ends an hour after its last call', async () => {
    const key = await login('ada', 'lovelace');
    gateway.moved.ms += 3_000_000;
    expect(await hub('hub.listServerIds', key)).toEqual(servers);
    gateway.moved.ms += 3_600_001;
    expect(await gateway.hub.call('hub.listServerIds', key)).toMatchObject({ ok: false });
  });

  it('names a server that nobody has when it attaches', async () => {
    const key = await login('ada', 'lovelace');
    expect(await hub('hub.attachToServers', key, [7, servers[0]!], ['ada', 'ada'], ['lovelace', 'lovelace'])).toEqual({
      Successful: { ServerIds: [servers[0]], Responses: [key] },
      Failed: { ServerIds: [7], Responses: ['Fault(-32602): No server has the number 7: see hub.listServers'] },
    });
  });

  it('is ended while no server is known', async () => {
    const key = await login('ada', 'lovelace');
    gateway.knowsOnly();
    expect(await gateway.hub.call('hub.listServerIds', key)).toMatchObject({ ok: false, fault: { code: -1 } });
    expect(await hub('hub.logout', key)).toBe('');
  });
});

it('what is attached gives what is not used any more: what was before it, or itself where the session has ended', async () => {
  const sessions = sessionsInMemory(() => 0, randomBytes);
  const key = (await sessions.begin('ada', new Map(), 1_000))!;
  const { id } = (await sessions.find(key))!;
  const as = (login: string) => ({ login, at: { is: 'in', key: login } }) as const;
  expect(await sessions.attach(id, 'a.acme.test', as('grace'))).toBeUndefined();
  expect(await sessions.attach(id, 'a.acme.test', as('bob'))).toEqual(as('grace'));
  expect(await sessions.attach(id, 'a.acme.test', undefined)).toEqual(as('bob'));
  await sessions.end(key);
  expect(await sessions.attach(id, 'a.acme.test', as('grace'))).toEqual(as('grace'));
});
