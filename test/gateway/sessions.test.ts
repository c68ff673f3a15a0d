import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callText } from '../../lib/uyuni/xml-rpc/write.ts';
import { type AGateway, resultOf } from '../support/a-gateway.ts';
import { aGatewayForPeople, type GatewayForPeople } from '../support/a-gateway-for-people.ts';
import type { PlayedNode } from '../support/a-played-node.ts';

describe('a session of the gateway', () => {
  let made: GatewayForPeople;
  let gateway: AGateway;
  let nodes: readonly PlayedNode[];
  const a = (): PlayedNode => made.a;
  const b = (): PlayedNode => made.b;
  const login = async (name: string, password: string): Promise<string> =>
    resultOf(await gateway.call('auth.login', name, password)) as string;
  beforeEach(async () => {
    made = await aGatewayForPeople({ limits: { all: 6, ofOne: 3 } });
    ({ gateway, nodes } = made);
  });
  afterEach(() => made.close());

  it('of one person never answers another', async () => {
    const keys = { ada: await login('ada', 'lovelace'), grace: await login('grace', 'hopper') };
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        gateway.call(
          n % 3 === 0 ? 'system.getDetails' : 'system.listSystems',
          n % 2 === 0 ? keys.ada : keys.grace,
          ...(n % 3 === 0 ? [n % 4 < 2 ? 101 : 201] : []),
        ),
      ),
    );
    await gateway.call('system.scheduleReboot', keys.ada, 201, 0);
    for (const node of nodes) node.calls.length = 0;
    await gateway.call('system.listSystems', keys.ada);
    expect(nodes.flatMap(({ calls }) => calls.map((one) => one.login))).toEqual(['ada', 'ada']);
    await gateway.call('system.listSystems', keys.grace);
    expect(nodes.flatMap(({ calls }) => calls.map((one) => one.login)).sort()).toEqual(['ada', 'ada', 'grace', 'grace']);
  });

  it('begins by a password that a server takes, and asks no other server about one that is wrong', async () => {
    expect(await gateway.call('auth.login', 'ada', 'hopper')).toMatchObject({ ok: false, fault: { code: 2950 } });
    expect(nodes.map(({ sessions }) => sessions.size)).toEqual([0, 0]);
    await login('ada', 'lovelace');
    expect(nodes.map(({ sessions }) => sessions.size)).toEqual([1, 1]);
  });

  it('has at each server only what that server gave for the password', async () => {
    b().people.set('ada', 'another');
    const key = await login('ada', 'lovelace').catch(() => login('ada', 'another'));
    const answers = await Promise.all([gateway.call('system.getDetails', key, 101), gateway.call('system.getDetails', key, 201)]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(answers.find(({ ok }) => !ok)).toMatchObject({ fault: { code: 2950, text: expect.stringMatching(/^[ab]\.acme\.test: /) } });
  });

  it('names a server that was away when it began, in words by which programs sign in again', async () => {
    b().trouble = 'closes';
    const key = await login('ada', 'lovelace');
    b().trouble = undefined;
    expect((await gateway.send(callText('system.listSystems', [key]))).headers['x-muster-failed']).toBe('b.acme.test;sign-in');
    expect(await gateway.call('system.getDetails', key, 201)).toMatchObject({
      ok: false,
      fault: { text: expect.stringMatching(/Could not find session at b\.acme\.test: .*sign in again/) },
    });
    expect(resultOf(await gateway.call('system.getDetails', await login('ada', 'lovelace'), 201))).toMatchObject({ id: 201 });
  });

  it('is signed in anew where a server has forgotten it', async () => {
    const key = await login('ada', 'lovelace');
    b().sessions.clear();
    expect(await gateway.call('system.getDetails', key, 201)).toMatchObject({
      ok: false,
      fault: { text: expect.stringContaining('Could not find session') },
    });
    b().calls.length = 0;
    expect(resultOf(await gateway.call('system.listSystems', key))).toMatchObject([{ id: 101 }]);
    // The server is not asked with a key that it does not know any more.
    expect(b().calls).toEqual([]);
  });

  it('ends by auth.logout, at the servers as well', async () => {
    const key = await login('ada', 'lovelace');
    expect(resultOf(await gateway.call('auth.logout', key))).toBe(1);
    expect(nodes.map(({ sessions }) => sessions.size)).toEqual([0, 0]);
    for (const method of ['auth.logout', 'system.listSystems'])
      expect(await gateway.call(method, key)).toEqual({
        ok: false,
        fault: { code: -1, text: `unhandled internal exception: Could not find session with id: ${key.split('x')[0]}` },
      });
  });

  it('ends an hour after its last call, or when it was asked to', async () => {
    const [hour, short] = [await login('ada', 'lovelace'), resultOf(await gateway.call('auth.login', 'ada', 'lovelace', 60)) as string];
    gateway.moved.ms += 61_000;
    expect(await gateway.call('system.listSystems', short)).toMatchObject({ ok: false });
    for (let n = 0; n < 3; n++) {
      gateway.moved.ms += 3_000_000;
      expect(await gateway.call('system.listSystems', hour)).toMatchObject({ ok: true });
    }
    gateway.moved.ms += 3_600_001;
    expect(await gateway.call('system.listSystems', hour)).toMatchObject({
      ok: false,
      fault: { text: expect.stringContaining('Could not find session') },
    });
    expect(await gateway.call('auth.login', 'ada', 'lovelace', 999_999)).toMatchObject({ ok: false, fault: { code: 2800 } });
  });

  it('gives way to newer ones of the same person, and never to those of another', async () => {
    const grace = await login('grace', 'hopper');
    const ada = [];
    for (let n = 0; n < 4; n++) ada.push(await login('ada', 'lovelace'));
    expect((await Promise.all(ada.map((key) => gateway.call('system.listSystems', key)))).map(({ ok }) => ok)).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect(await gateway.call('system.listSystems', grace)).toMatchObject({ ok: true });
  });

  it('is taken with blanks around its key, as programs store it', async () => {
    expect(await gateway.call('system.listSystems', `${await login('ada', 'lovelace')}\n`)).toMatchObject({ ok: true });
  });

  it('does not let anybody call a server by the key that the server gave', async () => {
    await login('ada', 'lovelace');
    const [own = ''] = [...a().sessions.keys()];
    expect(await gateway.call('system.listSystems', own)).toMatchObject({
      ok: false,
      fault: { text: expect.stringContaining('Could not find session') },
    });
  });
});
