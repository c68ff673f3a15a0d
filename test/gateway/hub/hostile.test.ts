import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AGateway, aGateway, resultOf } from '../../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode } from '../../support/a-played-node.ts';

const param = (value: string): string => `<param><value>${value}</value></param>`;
const call = (method: string, ...values: readonly string[]): string =>
  `<?xml version="1.0"?><methodCall><methodName>${method}</methodName><params>${values.map(param).join('')}</params></methodCall>`;
const list = (...values: readonly string[]): string =>
  `<array><data>${values.map((one) => `<value>${one}</value>`).join('')}</data></array>`;
const int = (value: number | string): string => `<int>${value}</int>`;
/** What stands in the calls below for the key of a session and the numbers of both servers. */
const [key, a, b] = ['@KEY@', '<int>@A@</int>', '<int>@B@</int>'];
const text = (value: string): string => `<string>${value}</string>`;

type Hostile = readonly [what: string, body: string, fault: { readonly code?: number; readonly text: RegExp }];

const signingIn: readonly Hostile[] = [
  ['hub.login without arguments', call('hub.login'), { code: -32602, text: /a login and a password/ }],
  ['hub.login without a password', call('hub.login', 'admin'), { code: -32602, text: /a login and a password/ }],
  ['hub.login with three arguments', call('hub.login', 'admin', 'secret', int(60)), { code: -32602, text: /a login and a password/ }],
  ['hub.login of a struct', call('hub.login', '<struct/>', 'secret'), { code: -32602, text: /a login and a password/ }],
  ['hub.login of nil', call('hub.loginWithAuthRelayMode', 'admin', '<nil/>'), { code: -32602, text: /a login and a password/ }],
  ['hub.login with a wrong password', call('hub.loginWithAutoconnectMode', 'admin', 'wrong'), { code: 2950, text: /incorrect/ }],
  ['hub.login with an empty password', call('hub.login', 'admin', ''), { code: 2950, text: /incorrect/ }],
  ['hub.login of a login with markup', call('hub.login', '&lt;b&gt;&amp;', 'secret'), { code: 2950, text: /incorrect/ }],
];

const hostile: readonly Hostile[] = [
  ['nothing', '', { text: /there is no element/ }],
  ['a name that the hub has not', call('hub.broadcast', key), { text: /Could not find method: broadcast in class: hub/ }],
  ['the hub itself', call('hub', key), { code: 10003, text: /does not know/ }],
  ['unicast without a method', call('unicast.', key, a), { text: /Could not find method/ }],
  ['unicast of a method without a namespace', call('unicast.listSystems', key, a), { text: /Could not find method/ }],
  ['multicast without a method', call('multicast', key, list(a)), { code: 10003, text: /does not know/ }],
  ['a method of nobody', call('unicast.system.noSuchMethod', key, a), { code: 10003, text: /does not know/ }],
  ['unicast of a name of the hub', call('unicast.hub.logout', key, a), { code: 10003, text: /does not know/ }],
  ['unicast of unicast', call('unicast.unicast.system.listSystems', key, a, b), { code: 10003, text: /does not know|Could not/ }],
  ['unicast of a prototype', call('unicast.__proto__.toString', key, a), { code: 10003, text: /does not know/ }],
  ['unicast of a sign-in', call('unicast.auth.login', key, a, 'admin', 'secret'), { text: /Could not find method: login/ }],
  ['unicast of a sign-out', call('unicast.auth.logout', key, a), { text: /Could not find method: logout/ }],
  ['no arguments for unicast', call('unicast.system.listSystems'), { code: -32602, text: /the key of a session/ }],
  ['no arguments for multicast', call('multicast.system.listSystems'), { code: -32602, text: /the key of a session/ }],
  ['no arguments for attaching', call('hub.attachToServers'), { code: -32602, text: /the key of a session/ }],
  ['no arguments for signing out', call('hub.logout'), { code: -32602, text: /the key of a session/ }],
  ['a struct as a session', call('hub.listServerIds', '<struct/>'), { code: -32602, text: /the key of a session/ }],
  ['a list as a session', call('hub.listServerIds', list(key)), { code: -32602, text: /the key of a session/ }],
  ['an empty session', call('hub.listServerIds', ''), { text: /Could not find session/ }],
  [
    'a session that nobody has',
    call('unicast.system.listSystems', `7x${'0'.repeat(64)}`, a),
    { text: /Could not find session with id: 7$/ },
  ],
  [
    'a session of the hub’s own form',
    call('multicast.system.listSystems', '200x12', list(a)),
    { text: /Could not find session with id: 200$/ },
  ],
  ['signing out nobody', call('hub.logout', 'login-error'), { text: /Could not find session/ }],
  ['more than a key', call('hub.listServerIds', key, int(1)), { code: -32602, text: /the key of a session alone/ }],
  ['no server', call('unicast.system.listSystems', key), { code: -32602, text: /the number of a server/ }],
  ['a server that is a list', call('unicast.system.listSystems', key, list(a)), { code: -32602, text: /the number of a server/ }],
  ['a server that is a word', call('unicast.system.listSystems', key, 'a.acme.test'), { code: -32602, text: /the number of a server/ }],
  ['a server that is nil', call('unicast.system.listSystems', key, '<nil/>'), { code: -32602, text: /the number of a server/ }],
  [
    'a server that is a double',
    call('unicast.system.listSystems', key, '<double>1.5</double>'),
    { code: -32602, text: /the number of a server/ },
  ],
  ['a server that is nobody’s', call('unicast.system.listSystems', key, int(7)), { code: -32602, text: /No server has the number 7/ }],
  ['a server below zero', call('unicast.system.listSystems', key, int(-1)), { code: -32602, text: /No server has the number -1/ }],
  ['a server that is a system', call('unicast.system.listSystems', key, int(101)), { code: -32602, text: /No server has the number 101/ }],
  ['a server as a system', call('unicast.system.getDetails', key, a, a), { code: -208, text: /No such system/ }],
  ['a system that is an i8', call('unicast.system.getDetails', key, a, '<i8>5000000000</i8>'), { code: -208, text: /No such system/ }],
  ['a list with a struct in it', call('unicast.system.deleteSystems', key, a, list('<struct/>')), { code: 2800, text: /no number/ }],
  [
    'arguments that a method does not take',
    call('unicast.system.getDetails', key, a, text('x'), text('y')),
    { text: /Could not find method/ },
  ],
  ['servers that are no list', call('multicast.system.listSystems', key, a), { code: -32602, text: /a list of numbers/ }],
  ['servers that are a struct', call('multicast.system.listSystems', key, '<struct/>'), { code: -32602, text: /a list of numbers/ }],
  ['servers with a word', call('multicast.system.listSystems', key, list(a, text('b'))), { code: -32602, text: /no number/ }],
  ['servers in servers', call('multicast.system.listSystems', key, list(list(a))), { code: -32602, text: /no number/ }],
  ['a server that is named twice', call('multicast.system.listSystems', key, list(a, a)), { code: -32602, text: /named twice/ }],
  [
    'a list that is too short',
    call('multicast.system.deleteSystem', key, list(a, b), list(int(101))),
    { code: -32602, text: /1 values for 2 servers/ },
  ],
  [
    'a list that is too long',
    call('multicast.system.deleteSystem', key, list(a), list(int(101), int(201))),
    { code: -32602, text: /2 values for 1/ },
  ],
  ['a list that is empty', call('multicast.system.deleteSystem', key, list(a), list()), { code: -32602, text: /0 values for 1 servers/ }],
  [
    'a value in place of a list',
    call('multicast.system.deleteSystem', key, list(a), int(101)),
    { code: -32602, text: /no list with a value/ },
  ],
  [
    'a member without a name',
    call('multicast.system.listSystems', key, '<struct><member><value/></member></struct>'),
    { text: /without <name>/ },
  ],
  ['10,000 levels', call('multicast.system.listSystems', key, `${'<array><data><value>'.repeat(10_000)}1`), { text: /cannot be read/ }],
  ['attaching to no list', call('hub.attachToServers', key, a), { code: -32602, text: /a list of numbers/ }],
  [
    'attaching without passwords',
    call('hub.attachToServers', key, list(a), list(text('admin'))),
    { code: -32602, text: /a list of logins/ },
  ],
  [
    'attaching with too few logins',
    call('hub.attachToServers', key, list(a, b), list('x'), list('y', 'z')),
    { code: -32602, text: /for each of 2/ },
  ],
  [
    'attaching with too few passwords',
    call('hub.attachToServers', key, list(a, b), list('x', 'y'), list('z')),
    { code: -32602, text: /for each of 2/ },
  ],
  [
    'attaching with a password that is nil',
    call('hub.attachToServers', key, list(a), list('x'), list('<nil/>')),
    { code: -32602, text: /for each/ },
  ],
  [
    'attaching with more than it takes',
    call('hub.attachToServers', key, list(a), list('x'), list('y'), list('z')),
    { code: -32602, text: /a list of/ },
  ],
];

describe('a hostile call at the hub', () => {
  let nodes: PlayedNode[];
  let gateway: AGateway;
  let own: string;
  let servers: readonly number[];
  const send = (body: string, headers: Readonly<Record<string, string>> = {}) =>
    gateway.hub.send(body.replaceAll(key, own).replaceAll('@A@', String(servers[0])).replaceAll('@B@', String(servers[1])), headers);
  beforeAll(async () => {
    nodes = await Promise.all(['a.acme.test', 'b.acme.test'].map((name) => aPlayedNode(name, [1])));
    gateway = await aGateway(nodes, {
      places: [
        [101, 'a.acme.test', 1],
        [201, 'b.acme.test', 1],
      ],
    });
    own = resultOf(await gateway.hub.call('hub.login', 'admin', 'secret')) as string;
    servers = resultOf(await gateway.hub.call('hub.listServerIds', own)) as number[];
  });
  afterAll(async () => {
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });

  it.each([...signingIn, ...hostile])('of %s gets a fault, and no server hears of it', async (_what, body, { code = -1, text: why }) => {
    const sent = await send(body);
    expect([sent.status, sent.headers['content-type']]).toEqual([200, 'text/xml']);
    expect(sent.read()).toMatchObject({ ok: false, fault: { code, text: expect.stringMatching(why) } });
    expect(nodes.flatMap(({ calls }) => calls)).toEqual([]);
    expect(resultOf(await gateway.hub.call('hub.listServerIds', own))).toEqual(servers);
  });

  it('for servers that nobody has names each of them as failed', async () => {
    const many = Array.from({ length: 20_000 }, (_, n) => n + 1);
    const answer = resultOf((await send(call('multicast.system.listSystems', key, list(...many.map(int))))).read());
    expect(answer).toMatchObject({ Successful: { ServerIds: [], Responses: [] }, Failed: { ServerIds: many } });
    expect(nodes.flatMap(({ calls }) => calls)).toEqual([]);
  });

  it('for one server does not spoil it for another', async () => {
    const answer = resultOf(
      (await send(call('multicast.system.getUuid', key, list(a, int(7), b), list(text('x'), int(1), int(201))))).read(),
    );
    expect(answer).toEqual({
      Successful: { ServerIds: [servers[1]], Responses: ['uuid-of-1'] },
      Failed: {
        ServerIds: [servers[0], 7],
        Responses: [expect.stringMatching(/^Fault\(-1\): Could not find method/), expect.stringMatching(/^Fault\(-32602\): No server/)],
      },
    });
    nodes[1]!.calls.length = 0;
  });

  it.each([
    ['x-deadline', '0'],
    ['x-deadline', '1e3'],
    ['content-encoding', 'gzip'],
  ])('with %s: %s gets a fault', async (name, value) => {
    expect((await send(call('multicast.system.listSystems', key, list(a)), { [name]: value })).read()).toMatchObject({ ok: false });
    expect(nodes.flatMap(({ calls }) => calls)).toEqual([]);
  });

  it('by another verb, or at another path, is none', async () => {
    expect((await fetch(`${gateway.url}/hub/rpc/api`)).status).toBe(405);
    expect((await fetch(`${gateway.url}/hub/rpc/api/`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${gateway.url}/hub`, { method: 'POST' })).status).toBe(404);
  });
});
