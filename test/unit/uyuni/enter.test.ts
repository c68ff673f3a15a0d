import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { rightsOf } from '../../../lib/identity/rights.ts';
import { parseSecret, type SecretParts } from '../../../lib/identity/secret-text.ts';
import { read } from '../../../lib/runtime/read.ts';
import { decideTicket } from '../../../lib/uyuni/enter/decide.ts';
import { EnterPath } from '../../../lib/uyuni/enter/rows/path.ts';
import { ticketRef } from '../../../lib/uyuni/enter/rows/ticket.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { aKey, showing } from '../../support/callers.ts';

/* A person who is signed in to Muster enters the server of a node by a ticket, which holds once. */

let world: World;
let node: Agent;
beforeEach(async () => {
  world = await stepped();
  node = await new Agent(world, 'node1.acme.org').start({ kind: 'uyuni' });
});

const refused = { status: 409, body: { type: 'urn:muster:problem:refused' } };
const asked = (path = '/api/v1/nodes/node1.acme.org/enter', body: object = {}, headers = {}) => world.call('POST', path, body, headers);
const ticket = async (body: object = {}, headers = {}): Promise<string> =>
  ((await asked(undefined, body, headers)).body as { ticket: string }).ticket;
/** A secret may have the sign that parts it from its id. */
const partsOf = (text: string) => parseSecret(text, 'met') as SecretParts;
const presented = (text: string, by = node) => by.call('POST', `/nodes/${by.id}/tickets`, { incarnation: by.incarnation, ticket: text });
const ended = (id: string, entry: object, by = node) =>
  by.call('POST', `/nodes/${by.id}/tickets/${id}/entry`, { incarnation: by.incarnation, entry });
const audit = async (): Promise<{ did: string; who: string; because: string }[]> => {
  await world.step(10_000);
  return ((await world.call('GET', '/api/v1/audit?limit=50')).body as { items: { did: string; who: string; because: string }[] }).items;
};
const reasons = async () => (await audit()).map(({ because }) => because);

describe('a ticket', () => {
  it('lets the person who asked for it in, once, at the page that was asked for', async () => {
    const path = '/rhn/systems/details/Overview.do?sid=1000010000';
    const reply = await asked(undefined, { path });
    expect(reply).toMatchObject({ status: 201, body: { action: 'https://node1.acme.org/muster/enter' } });
    const { ticket: text, expiresAt } = reply.body as { ticket: string; expiresAt: string };
    expect(Date.parse(expiresAt)).toBe(world.now() + 30_000);
    const id = text.split('_')[1];
    expect(await presented(text)).toMatchObject({ status: 200, body: { ticket: id, who: 'operator', name: 'operator', path } });
    expect(await presented(text)).toMatchObject({ ...refused, body: { detail: 'the ticket was presented before' } });
    expect(await ended(id!, { login: 'admin' })).toMatchObject({ body: { because: 'operator entered node1.acme.org as admin' } });
    expect(await ended(id!, { login: 'other' })).toMatchObject({ body: { because: 'what became of it is known' } });
    const all = await audit();
    const what = all.map(({ did, who, because }) => [did, who, because]);
    expect(what).toContainEqual(['began', 'operator', 'a ticket for node1.acme.org/rhn/systems/details/Overview.do']);
    expect(what).toContainEqual(['changed', 'operator', 'operator entered node1.acme.org as admin']);
    expect(what).toContainEqual(['tried', 'anyone', 'refused: the ticket was presented before, at node1.acme.org']);
    expect(JSON.stringify(all)).not.toContain(partsOf(text).secret);
  });

  it('is good for no other node, and is spoiled there', async () => {
    const other = await new Agent(world, 'node2.acme.org').start({ kind: 'uyuni' });
    const text = await ticket();
    expect(await presented(text, other)).toMatchObject({ ...refused, body: { detail: 'the ticket is for node1.acme.org' } });
    expect(await presented(text)).toMatchObject(refused);
    expect(await ended(text.split('_')[1]!, { login: 'admin' }, other)).toMatchObject({ status: 404 });
    expect(await reasons()).toContain('refused: the ticket is for node1.acme.org, at node2.acme.org');
  });

  it('is good for 30 s', async () => {
    const [late, former] = [await ticket(), await ticket()];
    await world.step(29_000);
    expect(await presented(former)).toMatchObject({ status: 200 });
    await world.step(1_000);
    expect(await presented(late)).toMatchObject({ ...refused, body: { detail: 'the ticket is too old: it holds for 30 s' } });
    await world.step(11 * 60_000);
    expect(await presented(late)).toMatchObject({ ...refused, body: { detail: 'there is no such ticket' } });
  });

  it('is good for the node as it was, and not once that has joined anew', async () => {
    const shell = world.environment('admin');
    const { id, secret } = partsOf(await ticket());
    const made = await read(shell, ticketRef(id));
    const anew = { secret, node: made!.node, generation: made!.generation + 1 };
    const decision = decideTicket(made, { type: 'present', id: 'call', ...anew }, shell.now());
    expect(decision).toMatchObject({ does: 'nothing', because: 'the node has joined anew since the ticket was made' });
  });

  it('is not good at a node whose key two machines may have', async () => {
    node.boot = 2;
    await node.up();
    await world.step(0);
    await node.up();
    await world.step(10 * 60_000);
    const text = await ticket();
    node.boot = 1;
    await node.up();
    await world.step(1_000);
    expect(await world.call('GET', '/api/v1/nodes/node1.acme.org')).toMatchObject({ body: { status: 'quarantined' } });
    const reply = await presented(text);
    expect([reply.status, (reply.body as { detail: string }).detail]).toEqual([409, expect.stringContaining('quarantined')]);
  });

  it('is refused where somebody has guessed or cut it, and where there is none, for the audit', async () => {
    const text = await ticket();
    const guessed = textOf(text.split('_')[1]!, 'A'.repeat(43));
    expect(await presented(guessed)).toMatchObject({ ...refused, body: { detail: 'there is no such ticket' } });
    expect(await presented(text.slice(0, -1))).toMatchObject(refused);
    expect(await presented('')).toMatchObject({ ...refused, body: { detail: 'a browser came without a ticket' } });
    expect(await presented(text)).toMatchObject({ status: 200 });
    expect(await reasons()).toContain('refused: a browser came without a ticket, at node1.acme.org');
  });

  it('ends with the key that asked for it', async () => {
    const shell = world.environment('admin');
    const { id, text: secret } = await aKey(shell, rightsOf(['read'], 'all'));
    const text = await ticket({}, showing(secret));
    await world.call('POST', `/api/v1/keys/${id}/revoke`, {});
    await world.step(5_000);
    expect(await presented(text)).toMatchObject({ ...refused, body: { detail: 'the session of the person has ended since' } });
  });

  it('ends with a lock of the person who asked for it', async () => {
    const { text: secret } = await aKey(world.environment('admin'), rightsOf(['read'], 'all'), { kind: 'session', who: 'admin:alice' });
    const text = await ticket({}, showing(secret));
    expect(await world.call('POST', '/api/v1/subjects/lock', { subject: 'alice' })).toMatchObject({ status: 200 });
    await world.step(5_000);
    expect(await presented(text)).toMatchObject({ ...refused, body: { detail: 'the session of the person has ended since' } });
  });

  it('is for Uyuni servers that are up', async () => {
    await new Agent(world, 'salt1.acme.org').start();
    expect(await asked('/api/v1/nodes/salt1.acme.org/enter')).toMatchObject(refused);
    expect(await asked('/api/v1/nodes/nobody.acme.org/enter')).toMatchObject({ status: 404 });
    await node.leave('hold');
    await world.step(1_000);
    expect(await asked()).toMatchObject(refused);
  });

  it('is for pages of that server alone', () => {
    const good = ['/', '/rhn/', '/rhn/YourRhn.do', '/rhn/manager/systems?a=b&q=%22x%22', '/rhn/a..b/c.do'];
    expect(good.filter((path) => !EnterPath.safeParse(path).success)).toEqual([]);
    const bad = [
      '',
      'rhn/',
      '//evil.org',
      '/rhn//evil.org',
      'https://evil.org/rhn/',
      '/\\evil.org',
      '/rhn/\\x',
      '/rhn/a\nb',
      '/rhn/%0d%0aa',
    ];
    const worse = [
      '/muster/ui/',
      '/rhn/../muster/',
      '/rhn/%2e%2E/x',
      '/rhn/..%2fx',
      '/rhn/x/..',
      '/rhn/%2f%2fevil',
      '/rhn/%',
      '/rhn/ü',
      '/?x',
    ];
    expect([...bad, ...worse, `/rhn/${'a'.repeat(1_024)}`].filter((path) => EnterPath.safeParse(path).success)).toEqual([]);
  });
});

describe('the document that leads on to a server', () => {
  const opened = (headers: Readonly<Record<string, string>>) =>
    world.call('GET', '/api/v1/nodes/node1.acme.org/enter', undefined, { authorization: '', ...headers });

  it('sends its one form there and nowhere else, and runs the one line that does it', async () => {
    const { text: secret } = await aKey(world.environment('admin'), rightsOf(['read'], 'all'), { kind: 'session', who: 'admin:alice' });
    const cookie = { host: 'muster.acme.org', cookie: `__Host-muster-session=${secret}` };
    const reply = await opened({ ...cookie, 'sec-fetch-site': 'same-origin' });
    expect(reply).toMatchObject({ status: 200, headers: { 'referrer-policy': 'strict-origin' } });
    const body = reply.body as string;
    const script = /<script>(.*)<\/script>/.exec(body)?.[1] ?? '';
    const policy = reply.headers['content-security-policy']?.split('; ');
    expect(policy).toContain(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`);
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'", 'form-action https://node1.acme.org']));
    expect(body).toContain('<form method="post" action="https://node1.acme.org/muster/enter">');
    const text = /name="ticket" value="([^"]+)"/.exec(body)?.[1] ?? '';
    expect(await presented(text)).toMatchObject({ status: 200, body: { who: 'admin:alice', path: '/rhn/YourRhn.do' } });
    for (const site of ['cross-site', 'same-site', 'none'])
      expect(await opened({ ...cookie, 'sec-fetch-site': site })).toMatchObject({ status: 401 });
    expect(await opened(cookie)).toMatchObject({ status: 401 });
  });
});

/** A text of the form of a ticket, with the checksum that anybody can compute. */
const textOf = (id: string, secret: string): string => {
  const body = `met_${id}_${secret}`;
  return `${body}_${createHash('sha256').update(body).digest('hex').slice(0, 6)}`;
};
