import { beforeEach, describe, expect, it } from 'vitest';
import { ZoneName } from '../../../lib/core/ids.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { adminScopes, rightsOf } from '../../../lib/identity/rights.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { planZone } from '../../../lib/zones/create.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { aKey, showing } from '../../support/callers.ts';

const [alpha, beta] = ['alpha', 'beta'].map((name) => ZoneName.parse(name)) as [ZoneName, ZoneName];
let world: World;
let host: Agent;
let limited: { readonly authorization: string };
beforeEach(async () => {
  world = await stepped({ admits: 'nobody' });
  const shell = world.environment('admin');
  for (const [n, zone] of [alpha, beta].entries())
    await applyPlan(world.environment('sweep'), { id: zone }, async () => planZone(zone, n + 2, world.now()));
  limited = showing((await aKey(shell, rightsOf(adminScopes, [alpha]))).text);
  host = new Agent(world, 'node1.acme.org');
  await host.join();
});

const order = async (what: 'admit' | 'reject', more: object, headers = {}) =>
  ((await world.call('POST', `/api/v1/node-pool/${what}`, { hosts: [host.fqdn], ...more }, headers)).body as { results: unknown }).results;
const none = [{ host: 'node1.acme.org', done: false, because: 'no host of this name waits' }];

describe('a host that was admitted into a zone', () => {
  beforeEach(async () => {
    expect(await order('admit', { zone: beta })).toMatchObject([{ done: true }]);
  });

  it('is not there for whoever is limited to another', async () => {
    const { body } = await world.call('GET', '/api/v1/node-pool', undefined, limited);
    expect(body).toEqual({ items: [] });
  });

  it('is neither sent away by him nor taken into his own', async () => {
    expect(await order('reject', {}, limited)).toEqual(none);
    expect(await order('admit', { zone: alpha }, limited)).toEqual(none);
    expect(await host.join()).toMatchObject({ status: 201, body: { zone: beta } });
  });
});

const notThere = { done: false, because: 'no host with this fingerprint waits' };
const fp = () => fingerprintOf(host.publicKey);
const listed = async (headers = {}) =>
  ((await world.call('GET', '/api/v1/node-pool', undefined, headers)).body as { items: { fqdn: string }[] }).items.map(({ fqdn }) => fqdn);
const limitedTo = async (...zones: ZoneName[]) => showing((await aKey(world.environment('admin'), rightsOf(adminScopes, zones))).text);

describe('a host that waits', () => {
  it('and asks for no zone is there for those alone who hold the right everywhere', async () => {
    expect(await listed(limited)).toEqual([]);
    expect(await order('admit', { zone: alpha }, limited)).toEqual(none);
    expect(await order('admit', { hosts: [fp()], zone: alpha }, limited)).toMatchObject([notThere]);
    expect(await order('reject', {}, limited)).toEqual(none);
    expect(await order('reject', { hosts: [fp()] }, limited)).toMatchObject([{ done: false, because: 'no such host waits' }]);
    expect(await listed()).toEqual([host.fqdn]);
    expect(await order('admit', { zone: alpha })).toMatchObject([{ done: true }]);
  });

  it('is seen and admitted by those of the zone that it asks for, who need not name it', async () => {
    await host.join({ zone: alpha });
    expect(await listed(limited)).toEqual([host.fqdn]);
    expect(await order('admit', {}, limited)).toMatchObject([{ done: true, because: 'node1.acme.org is admitted into zone alpha' }]);
    expect(await host.join({ zone: alpha })).toMatchObject({ status: 201, body: { zone: alpha } });
  });

  it('and asks for another zone is neither taken nor sent away, by name or by fingerprint', async () => {
    await host.join({ zone: beta });
    expect(await listed(limited)).toEqual([]);
    for (const hosts of [[host.fqdn], [fp()]]) {
      expect(await order('admit', { hosts, zone: alpha }, limited)).toMatchObject([{ done: false }]);
      expect(await order('reject', { hosts }, limited)).toMatchObject([{ done: false }]);
    }
    expect(await host.join({ zone: beta })).toMatchObject({ status: 202 });
    expect(await order('reject', {}, await limitedTo(beta))).toMatchObject([{ done: true }]);
  });

  it('is taken into another zone than it asks for by whoever may decide in both', async () => {
    await host.join({ zone: beta });
    expect(await order('admit', { zone: alpha }, await limitedTo(alpha, beta))).toMatchObject([{ done: true }]);
    expect(await listed(limited)).toEqual([host.fqdn]);
    expect(await listed(await limitedTo(beta))).toEqual([]);
  });

  it('takes no place of a node by the word of whoever may not decide on it', async () => {
    const old = new Agent(world, 'node0.acme.org');
    await old.join({ zone: alpha });
    await order('admit', { hosts: [old.fqdn] });
    await old.start();
    const replace = (headers: object) =>
      world.call('POST', `/api/v1/nodes/${old.id}/replace`, { by: host.fqdn, force: true }, headers as never);
    await host.join({ zone: beta });
    expect(await replace(limited)).toMatchObject({ status: 404 });
    expect(await replace(await limitedTo(alpha, beta))).toMatchObject({ status: 202, body: { done: true } });
  });

  it('is listed page by page as if nobody waited for another zone', async () => {
    for (let n = 2; n <= 7; n++) await new Agent(world, `node${n}.acme.org`).join({ zone: n % 2 ? beta : alpha });
    const seen: string[] = [];
    for (let query = 'limit=2', pages = 1; ; pages++) {
      const { items, next } = (await world.call('GET', `/api/v1/node-pool?${query}`, undefined, limited)).body as {
        items: { fqdn: string }[];
        next?: string;
      };
      seen.push(...items.map(({ fqdn }) => fqdn));
      if (next === undefined) break;
      expect(items).toHaveLength(2);
      expect(pages).toBeLessThan(3);
      query = `limit=2&cursor=${next}`;
    }
    expect(seen.toSorted()).toEqual(['node2.acme.org', 'node4.acme.org', 'node6.acme.org']);
  });
});

describe('a node that was removed from its zone', () => {
  const removed = async () => {
    await host.join({ zone: beta });
    await order('admit', {});
    await host.join({ zone: beta });
    await host.up();
    await world.step(1_000);
    await world.call('POST', `/api/v1/nodes/${host.id}/remove`, {});
    await world.step(1_000);
  };
  const token = async (zone: ZoneName, headers = {}) =>
    ((await world.call('POST', '/api/v1/node-tokens', { nodes: host.fqdn, kind: 'salt', zone }, headers)).body as { secret: string })
      .secret;

  it('comes back by a token of its own zone, and by no other', async () => {
    await removed();
    expect(await host.join({ token: await token(alpha, limited) })).toMatchObject({ status: 401 });
    expect(await host.join({ token: await token(beta) })).toMatchObject({ status: 201, body: { zone: beta } });
  });

  it('is taken back by those of its zone alone', async () => {
    await removed();
    expect(await order('admit', { hosts: [fp()] }, limited)).toMatchObject([notThere]);
    expect(await order('admit', { hosts: [fp()] }, await limitedTo(beta))).toMatchObject([{ done: true }]);
  });
});

describe('a node of a zone that was given up and asks to come back', () => {
  beforeEach(async () => {
    await host.join({ zone: beta });
    await order('admit', {});
    await host.join({ zone: beta });
    await host.up();
    await world.step(1_000);
    await world.call('POST', `/api/v1/nodes/${host.id}/drop`, {});
    await world.step(60_000);
    await host.up(1);
    await world.step(1_000);
  });

  it('is in the pool of its zone, and of those who hold the right everywhere, and there for nobody else', async () => {
    expect(await Promise.all([listed(), listed(await limitedTo(beta)), listed(limited), listed(await limitedTo(alpha, beta))])).toEqual([
      [host.fqdn],
      [host.fqdn],
      [],
      [host.fqdn],
    ]);
  });

  it('is let in and sent away by those of its zone alone', async () => {
    expect(await order('admit', { hosts: [fp()] }, limited)).toMatchObject([notThere]);
    expect(await order('reject', { hosts: [fp()] }, limited)).toMatchObject([{ done: false }]);
    expect(await order('reject', {}, await limitedTo(beta))).toMatchObject([{ done: true }]);
    expect(await listed()).toEqual([]);
  });
});

it('the name of a node of another zone is taken by nobody until that node is removed there', async () => {
  const other = new Agent(world, host.fqdn, 'another key');
  await host.join({ zone: beta });
  await order('admit', {});
  await host.join({ zone: beta });
  const token = async () =>
    ((await world.call('POST', '/api/v1/node-tokens', { nodes: host.fqdn, kind: 'salt', zone: alpha })).body as { secret: string }).secret;
  expect(await other.join({ token: await token() })).toMatchObject({ status: 409, body: { type: 'urn:muster:problem:fqdn-in-use' } });
  await world.call('POST', `/api/v1/nodes/${host.id}/remove`, {});
  expect(await other.join({ token: await token() })).toMatchObject({ status: 201, body: { zone: alpha } });
});

it('a host that asks for a zone is answered alike whether there is such a zone or not, and its administrator is told', async () => {
  const asking = async (zone: string) => {
    const { headers, body, status } = await new Agent(world, 'node2.acme.org').join({ zone });
    return { status, headers, body };
  };
  const known = await asking(beta);
  expect(known).toMatchObject({ status: 202, body: { pooled: true } });
  expect(await asking('nowhere')).toEqual(known);
  expect(await world.call('POST', '/api/v1/node-pool/admit', { hosts: ['node2.acme.org'] })).toMatchObject({
    body: { results: [{ done: false, because: expect.stringContaining('nowhere') }] },
  });
});
