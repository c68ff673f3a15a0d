import { beforeEach, describe, expect, it } from 'vitest';
import { adminScopes, rightsOf } from '../../../lib/identity/rights.ts';
import { ZoneName } from '../../../lib/ids.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { planZone } from '../../../lib/zones/create.ts';
import { aKey, showing } from '../../support/callers.ts';
import { Agent } from '../../support/players.ts';
import { stepped, type World } from '../../support/stepped.ts';

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

it('a host that waits is of no zone: whoever operates one may take it into that', async () => {
  expect(await order('admit', { zone: alpha }, limited)).toMatchObject([{ done: true }]);
  expect(await host.join()).toMatchObject({ status: 201, body: { zone: alpha } });
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
