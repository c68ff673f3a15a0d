import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AGateway, aGateway, resultOf } from '../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';

const param = (value: string): string => `<param><value>${value}</value></param>`;
const call = (method: string, ...values: readonly string[]): string =>
  `<?xml version="1.0"?><methodCall><methodName>${method}</methodName><params>${values.map(param).join('')}</params></methodCall>`;
const key = '@KEY@';
const deep = (n: number): string => `${'<array><data><value>'.repeat(n)}1${'</value></data></array>'.repeat(n)}`;

const hostile: readonly (readonly [what: string, body: string | Uint8Array, fault: { code?: number; text: RegExp }])[] = [
  ['nothing', '', { text: /there is no element/ }],
  ['a text', 'hello', { text: /cannot be read/ }],
  ['JSON', '{"method":"system.listSystems"}', { text: /cannot be read/ }],
  ['an element that is not closed', '<methodCall><methodName>system.listSystems', { text: /cannot be read/ }],
  ['elements that close each other', '<methodCall><methodName>a.b</params></methodCall>', { text: /cannot be read/ }],
  ['another document', '<methodResponse><params/></methodResponse>', { text: /<methodResponse> in place of <methodCall>/ }],
  ['no method', '<methodCall><params/></methodCall>', { text: /without <methodName>/ }],
  ['an empty method', call(''), { text: /a name that no method has/ }],
  ['a method with markup', call('a.&lt;b&gt;'), { text: /a name that no method has/ }],
  ['a method of a thousand letters', call('a'.repeat(1_000)), { text: /a name that no method has/ }],
  ['a DOCTYPE', `<!DOCTYPE a [<!ENTITY x "y">]>${call('api.getVersion')}`, { text: /DOCTYPE/ }],
  [
    'an entity bomb',
    `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]><methodCall><methodName>&c;</methodName></methodCall>`,
    { text: /DOCTYPE/ },
  ],
  [
    'an entity from elsewhere',
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><methodCall><methodName>&a;</methodName></methodCall>',
    { text: /DOCTYPE/ },
  ],
  ['an entity that nobody has', call('system.getId', key, '&nobody;'), { text: /cannot be read/ }],
  ['10,000 levels', call('system.listSystems', key, deep(10_000)), { text: /deep/ }],
  [
    '200,000 elements',
    call('system.listSystems', key, `<array><data>${'<value/>'.repeat(200_000)}</data></array>`),
    { text: /more than 150000 elements/ },
  ],
  ['10 MB', call('system.listSystems', key, 'x'.repeat(10_000_000)), { text: /more than 8388608 bytes/ }],
  [
    'bytes that are no UTF-8',
    Buffer.concat([
      Buffer.from('<methodCall><methodName>a.b</methodName><params><param><value>'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('</value></param></params></methodCall>'),
    ]),
    { text: /not utf-8/ },
  ],
  [
    'an encoding that nobody has',
    `<?xml version="1.0" encoding="x-klingon"?><methodCall><methodName>a.b</methodName></methodCall>`,
    { text: /x-klingon is not known/ },
  ],
  ['a null character', call('system.getId', key, 'a&#0;b'), { text: /cannot be read|unhandled/ }],
  ['an int that is none', call('system.getDetails', key, '<int>12abc</int>'), { text: /not a whole number/ }],
  ['an int without end', call('system.getDetails', key, `<int>${'9'.repeat(400)}</int>`), { text: /not a whole number/ }],
  ['a boolean that is none', call('system.scheduleApplyHighstate', key, '<boolean>maybe</boolean>'), { text: /not a boolean/ }],
  ['base64 that is none', call('system.getDetails', key, '<base64>**</base64>'), { text: /base64/ }],
  ['a type that nobody has', call('system.getDetails', key, '<uuid>1</uuid>'), { text: /not a type of XML-RPC/ }],
  ['a value of two types', call('system.getDetails', key, '<int>1</int><int>2</int>'), { text: /more than one type/ }],
  [
    'a member without a name',
    call('system.getDetails', key, '<struct><member><value>1</value></member></struct>'),
    { text: /without <name>/ },
  ],
  ['a system that is an i8', call('system.getDetails', key, '<i8>5000000000</i8>'), { code: -208, text: /No such system/ }],
  ['a system below zero', call('system.getDetails', key, '<int>-5</int>'), { code: -208, text: /No such system/ }],
  ['a system that is nil', call('system.getDetails', key, '<nil/>'), { code: -1, text: /Could not find method: getDetails .*null/ }],
  [
    'a list with a struct in it',
    call('system.deleteSystems', key, '<array><data><value><struct/></value></data></array>'),
    { code: 2800, text: /no number/ },
  ],
  ['a struct as a session', call('system.listSystems', '<struct/>'), { code: -1, text: /Could not find method/ }],
  ['a key of another form', call('system.listSystems', 'abc'), { code: -1, text: /Could not find method/ }],
  ['a key that nobody has', call('system.listSystems', `1x${'0'.repeat(64)}`), { code: -1, text: /Could not find session with id: 1$/ }],
  ['a name of a prototype', call('constructor', key), { code: 10003, text: /does not know/ }],
  ['a namespace of a prototype', call('__proto__.toString', key), { code: 10003, text: /does not know/ }],
  ['a login without a password', call('auth.login', 'admin'), { code: -1, text: /Could not find method: login/ }],
  ['a login of a struct', call('auth.login', '<struct/>', 'secret'), { code: -1, text: /Could not find method: login/ }],
  [
    'a login of ten arguments',
    call('auth.login', ...Array.from({ length: 10 }, () => 'a')),
    { code: -1, text: /Could not find method: login/ },
  ],
  ['another method of auth', call('auth.isSessionKeyValid', key), { code: -1, text: /Could not find method/ }],
  ['multicall', call('system.multicall', '<array><data/></array>'), { code: -1, text: /Could not find method/ }],
];

describe('a hostile call', () => {
  let nodes: PlayedNode[];
  let gateway: AGateway;
  let own: string;
  beforeAll(async () => {
    nodes = await Promise.all(['a.acme.test', 'b.acme.test'].map((name) => aPlayedNode(name, [1])));
    gateway = await aGateway(nodes, { places: [[101, 'a.acme.test', 1]] });
    own = resultOf(await gateway.call('auth.login', 'admin', 'secret')) as string;
  });
  afterAll(async () => {
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });

  it.each(hostile)('of %s gets a fault, and no server hears of it', async (_what, body, { code = -1, text }) => {
    const sent = await gateway.send(typeof body === 'string' ? body.replaceAll(key, own) : body);
    expect([sent.status, sent.headers['content-type']]).toEqual([200, 'text/xml']);
    expect(sent.read()).toMatchObject({ ok: false, fault: { code, text: expect.stringMatching(text) } });
    expect(nodes.flatMap(({ calls }) => calls)).toEqual([]);
    expect(await gateway.call('auth.login', 'admin', 'secret')).toMatchObject({ ok: true });
  });

  it.each([
    ['x-deadline', '0'],
    ['x-deadline', '-1'],
    ['x-deadline', '1e3'],
    ['x-deadline', '99999'],
    ['content-encoding', 'gzip'],
  ])('with %s: %s gets a fault', async (name, value) => {
    expect((await gateway.send(call('system.listSystems', own), { [name]: value })).read()).toMatchObject({ ok: false });
    expect(nodes.flatMap(({ calls }) => calls)).toEqual([]);
  });
});
