import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DateTime, type Value } from '../../lib/uyuni/xml-rpc/value.ts';
import { type AGateway, aGateway, resultOf, twoEach } from '../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';

/** Each server counts its systems from the same number, so that all of them have the same numbers. */
const first = 1_000_010_000;
const names = ['a.acme.test', 'b.acme.test', 'c.acme.test'] as const;

const aDate = new DateTime('20310501T12:00:00');

type Listed = { readonly id: number; readonly name: string };

describe('a gateway with several servers', () => {
  let nodes: PlayedNode[];
  let gateway: AGateway;
  let key: string;
  const node = (n: number): PlayedNode => nodes[n]!;
  const called = (method: string): readonly unknown[] =>
    nodes.flatMap(({ name, calls }) => calls.filter((one) => one.method === method).map(({ params }) => [name, ...params]));
  beforeAll(async () => {
    nodes = await Promise.all(names.map((name) => aPlayedNode(name, [first, first + 1])));
    gateway = await aGateway(nodes, { places: twoEach(names, first) });
    key = resultOf(await gateway.call('auth.login', 'admin', 'secret')) as string;
  });
  afterAll(async () => {
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });
  beforeEach(() => {
    for (const one of nodes) one.calls.length = 0;
  });

  it('lists the systems of all, each by its number in the cluster', async () => {
    const systems = resultOf(await gateway.call('system.listSystems', key)) as Listed[];
    expect(systems.map(({ id, name }) => [id, name])).toEqual([
      [first, `s${first}.a.acme.test`],
      [first + 1, `s${first + 1}.a.acme.test`],
      [1_500_000_010, `s${first}.b.acme.test`],
      [1_500_000_011, `s${first + 1}.b.acme.test`],
      [1_500_000_020, `s${first}.c.acme.test`],
      [1_500_000_021, `s${first + 1}.c.acme.test`],
    ]);
  });

  it('sends a call about a system to the server where it lives, and answers with its number in the cluster', async () => {
    expect(resultOf(await gateway.call('system.getDetails', key, 1_500_000_011))).toMatchObject({ id: 1_500_000_011, node: 'b.acme.test' });
    expect(called('system.getDetails')).toEqual([['b.acme.test', first + 1]]);
    expect(await gateway.call('system.get_details', key, 4)).toEqual({ ok: false, fault: { code: -208, text: 'No such system - sid[4]' } });
  });

  it('splits a call about systems of several servers, and makes one answer of theirs', async () => {
    const ids = [1_500_000_021, first, 1_500_000_020];
    const details = resultOf(await gateway.call('system.listActiveSystemsDetails', key, ids)) as Listed[];
    expect(details.map(({ id }) => id).sort()).toEqual(ids.toSorted());
    expect(called('system.listActiveSystemsDetails')).toEqual([
      ['a.acme.test', [first]],
      ['c.acme.test', [first + 1, first]],
    ]);
    expect(resultOf(await gateway.call('system.deleteSystems', key, ids))).toBe(1);
  });

  it('says where a split call was done, if it was not done everywhere', async () => {
    node(2).troubles.set('system.deleteSystems', { faults: { code: 1003, text: 'systems not deleted' } });
    expect(await gateway.call('system.deleteSystems', key, [first, 1_500_000_010, 1_500_000_020])).toEqual({
      ok: false,
      fault: { code: 1003, text: 'systems not deleted (not done on c.acme.test; done on a.acme.test, b.acme.test)' },
    });
    node(2).troubles.clear();
  });

  it('does not say that a server has not done what it may have done', async () => {
    node(1).troubles.set('system.deleteSystems', { faults: { code: 1003, text: 'systems not deleted' } });
    node(2).troubles.set('system.deleteSystems', 'dies in the middle');
    const answer = await gateway.call('system.deleteSystems', key, [first, 1_500_000_010, 1_500_000_020]);
    expect(answer).toMatchObject({
      fault: { text: expect.stringMatching(/ \(not done on b\.acme\.test; perhaps done on c\.acme\.test; done on a\.acme\.test\)$/) },
    });
    for (const one of nodes) one.troubles.clear();
  });

  it('translates a system beside a list without any', async () => {
    await gateway.call('system.changeProxy', key, [], 1_500_000_011);
    expect(called('system.changeProxy')).toEqual([['b.acme.test', [], first + 1]]);
  });

  it('counts the systems of a group over all servers', async () => {
    expect(resultOf(await gateway.call('systemgroup.listAllGroups', key))).toMatchObject([{ name: 'web', system_count: 6 }]);
    expect(resultOf(await gateway.call('systemgroup.getDetails', key, 'web'))).toMatchObject({ name: 'web', system_count: 6 });
  });

  it('reads common content from one server, the same one for a person, and from another if that fails', async () => {
    const [first] = resultOf(await gateway.call('channel.software.listArches', key)) as { name: string }[];
    expect(resultOf(await gateway.call('channel.software.listArches', key))).toEqual([expect.objectContaining({ name: first?.name })]);
    const own = nodes.find(({ name }) => name === first?.name)!;
    own.trouble = 'closes';
    const [second] = resultOf(await gateway.call('channel.software.listArches', key)) as { name: string }[];
    own.trouble = undefined;
    expect(second?.name).not.toBe(first?.name);
  });

  it.each([
    ['systemgroup.create', ['n', 'd'], 'no server is named on which that is edited'],
    ['packages.getDetails', [17], 'each server counts its own'],
    ['system.schedulePackageInstall', [first, [17], 0], 'each server counts its own'],
    ['actionchain.listChains', [], 'an action chain lives on one server'],
    ['system.bootstrap', ['h', 22, 'root', 'p', 'k', true], 'onboard the system by Muster'],
    ['saltkey.accept', ['web1'], 'name it by its number'],
    ['system.comparePackages', [first, 1_500_000_010], 'its systems live on several servers'],
    ['system.changeProxy', [[first], 1_500_000_010], 'its systems live on several servers'],
    ['nobody.writesThis', [], 'it is a method that Muster does not know'],
    ['system.listNewThings', [], 'it is a method that Muster does not know'],
  ] as const)('refuses %s %j, and no server hears of it', async (method, params, why) => {
    const sent = params.map((one) => (one === 0 ? aDate : one)) as Value[];
    expect(await gateway.call(method, key, ...sent)).toMatchObject({
      ok: false,
      fault: { code: 10003, text: expect.stringContaining(why) },
    });
    expect(nodes.flatMap(({ calls }) => calls)).toEqual([]);
  });

  it('answers as a server does for methods and arguments that it does not have', async () => {
    expect(await gateway.call('system.listSystems', key, 'too', 'many')).toEqual({
      ok: false,
      fault: {
        code: -1,
        text: 'Could not find method: listSystems in class: system with params: [java.lang.String, java.lang.String, java.lang.String]',
      },
    });
    expect(await gateway.call('system.listSystems')).toMatchObject({
      ok: false,
      fault: { code: -1, text: expect.stringContaining('Could not find method: listSystems') },
    });
  });

  it('takes api.getVersion with a session and without', async () => {
    expect(resultOf(await gateway.call('api.getVersion'))).toBe('29');
    expect(resultOf(await gateway.call('api.getVersion', key))).toBe('29');
  });
});

describe('the last of several servers', () => {
  it('is called with its own numbers, as the numbers of the cluster may be other systems there', async () => {
    const nodes = await Promise.all(names.map((name) => aPlayedNode(name, [1, 2])));
    const places = names.flatMap((name, n) => [1, 2].map((local) => [n === 0 ? local : 100 * n + local, name, local] as const));
    const gateway = await aGateway(nodes, { places });
    const key = resultOf(await gateway.call('auth.login', 'admin', 'secret')) as string;
    gateway.knowsOnly(names[1]);
    expect(resultOf(await gateway.call('system.listSystems', key))).toMatchObject([{ id: 101 }, { id: 102 }]);
    expect(await gateway.call('system.deleteSystems', key, [1])).toMatchObject({ ok: false, fault: { code: -208 } });
    expect(await gateway.call('systemgroup.create', key, 'n', 'd')).toMatchObject({ ok: false, fault: { code: 10003 } });
    expect(nodes[1]!.calls.map(({ method }) => method)).toEqual(['system.listSystems']);
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });
});

describe('a session', () => {
  it('is ended by its person while no server is known', async () => {
    const nodes = await Promise.all(names.map((name) => aPlayedNode(name, [1])));
    const gateway = await aGateway(nodes, { places: [[101, names[0], 1]] });
    const key = resultOf(await gateway.call('auth.login', 'admin', 'secret')) as string;
    gateway.knowsOnly();
    expect(resultOf(await gateway.call('auth.logout', key))).toBe(1);
    gateway.knowsOnly(...names);
    expect(await gateway.call('system.listSystems', key)).toMatchObject({
      ok: false,
      fault: { text: expect.stringContaining('Could not find session') },
    });
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });
});

describe('a gateway with a seat', () => {
  it('sends what changes common content there, and nowhere else', async () => {
    const nodes = await Promise.all(names.map((name) => aPlayedNode(name, [])));
    const gateway = await aGateway(nodes, { seat: names[1] });
    const key = resultOf(await gateway.call('auth.login', 'admin', 'secret')) as string;
    expect(resultOf(await gateway.call('systemgroup.create', key, 'n', 'd'))).toMatchObject({ name: 'n' });
    expect(nodes.map(({ calls }) => calls.length)).toEqual([0, 1, 0]);
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });
});
