import { beforeEach, describe, expect, it } from 'vitest';
import { ZoneName } from '../../../lib/core/ids.ts';
import { adminScopes, rightsOf } from '../../../lib/identity/rights.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { planZone } from '../../../lib/zones/create.ts';
import { Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { aKey, showing } from '../../support/callers.ts';

const [alpha, beta] = ['alpha', 'beta'].map((name) => ZoneName.parse(name)) as [ZoneName, ZoneName];
let world: World;
let ofAlpha: Headers;
type Headers = { readonly authorization: string };
beforeEach(async () => {
  world = await stepped();
  for (const [n, zone] of [alpha, beta].entries())
    await applyPlan(world.environment('sweep'), { id: zone }, async () => planZone(zone, n + 2, world.now()));
  ofAlpha = await limitedTo(alpha);
});

const limitedTo = async (...zones: ZoneName[]) => showing((await aKey(world.environment('admin'), rightsOf(adminScopes, zones))).text);
const waiting = async (name: string, zone?: string): Promise<Daemon> => {
  const daemon = new Daemon(world, `${name}.acme.org`);
  await daemon.knock(zone === undefined ? {} : { zone });
  return daemon;
};
const order = async (what: 'accept' | 'ban' | 'unregister', { fp }: Daemon, headers = {}, more = {}) =>
  ((await world.call('POST', `/api/v1/systems/${what}`, { systems: [fp], ...more }, headers)).body as { results: object[] }).results[0];
const statusOf = async ({ fp }: Daemon, headers = {}) => {
  const { status, body } = await world.call('GET', `/api/v1/systems/${fp}`, undefined, headers);
  return status === 200 ? (body as { status: string; zone?: string }) : status;
};
const listed = async (query: string, headers = {}) => {
  const { items, next } = (await world.call('GET', `/api/v1/systems?${query}`, undefined, headers)).body as {
    items: { fp: string }[];
    next?: string;
  };
  return { fps: items.map(({ fp }) => fp), next };
};
const unknown = { done: false, because: expect.stringContaining('this key never knocked') };

describe('a machine that waits', () => {
  it('for no zone is accepted and banned by those alone who hold the right everywhere', async () => {
    const web = await waiting('web');
    for (const what of ['accept', 'ban', 'unregister'] as const)
      expect(await order(what, web, ofAlpha, what === 'accept' ? { zone: alpha } : {}), what).toMatchObject(unknown);
    expect(await statusOf(web, ofAlpha)).toBe(404);
    expect(await statusOf(web)).toMatchObject({ status: 'new' });
    expect(await order('ban', web)).toMatchObject({ done: true });
  });

  it('for a zone is accepted into it by its people, who need not name it', async () => {
    const web = await waiting('web', alpha);
    expect(await statusOf(web, ofAlpha)).toMatchObject({ status: 'new', zone: alpha });
    expect(await order('accept', web, ofAlpha)).toMatchObject({ done: true, because: 'accepted into zone alpha' });
  });

  it('for another zone is there for nobody else: neither seen, nor accepted, nor banned', async () => {
    const web = await waiting('web', beta);
    expect(await order('accept', web, ofAlpha, { zone: alpha })).toMatchObject(unknown);
    expect(await order('ban', web, ofAlpha)).toMatchObject(unknown);
    for (const path of [`explain/system/${web.fp}`, `history/system/${web.fp}`])
      expect((await world.call('GET', `/api/v1/${path}`, undefined, ofAlpha)).status, path).toBe(404);
    expect(await order('ban', web, await limitedTo(beta))).toMatchObject({ done: true });
    expect(await statusOf(web, await limitedTo(beta))).toMatchObject({ status: 'deleted' });
    expect(await statusOf(web, ofAlpha)).toBe(404);
  });

  it('for another zone is accepted elsewhere by whoever may decide in both', async () => {
    const web = await waiting('web', beta);
    expect(await order('accept', web, await limitedTo(alpha, beta), { zone: alpha })).toMatchObject({ done: true });
  });

  it('for a zone that there is not stays where it is, and says so', async () => {
    const web = await waiting('web', 'nowhere');
    const because = 'it asks for zone nowhere, which does not exist: name another';
    expect(await order('accept', web)).toMatchObject({ done: false, because });
    expect(await order('accept', web, {}, { zone: alpha })).toMatchObject({ done: true });
  });

  it('asks for what its last signed knock names; what is not signed asks for none', async () => {
    const web = await waiting('web', alpha);
    await web.knock({ zone: beta });
    expect(await statusOf(web, ofAlpha)).toBe(404);
    expect(await statusOf(web)).toMatchObject({ zone: beta });
    await web.knock({});
    expect(await statusOf(web)).not.toHaveProperty('zone');
    await world.call('PATCH', '/api/v1/zones/default', { unsignedClients: true });
    await world.step(10_000);
    const bare = new Daemon(world, 'bare.acme.org');
    await world.call('POST', '/system/knock', bare.knocking({ zone: alpha })[0]);
    expect(await statusOf(bare)).toMatchObject({ status: 'new' });
    expect(await statusOf(bare, ofAlpha)).toBe(404);
  });
});

describe('a list of machines', () => {
  it.each(['status=new', 'status=deleted'])('of %s is for whoever is limited to a zone as if there were no other', async (query) => {
    const systems: Daemon[] = [];
    for (let n = 0; n < 9; n++) systems.push(await waiting(`web${n}`, [alpha, beta, undefined][n % 3]));
    if (query === 'status=deleted') for (const one of systems) await order('ban', one);
    const seen: string[] = [];
    for (let more = '', pages = 1; ; pages++) {
      const { fps, next } = await listed(`${query}&limit=2${more}`, ofAlpha);
      seen.push(...fps);
      if (next === undefined) break;
      expect(pages).toBeLessThan(3);
      more = `&cursor=${next}`;
    }
    expect(seen.toSorted()).toEqual(systems.flatMap(({ fp }, n) => (n % 3 ? [] : [fp])).toSorted());
  });

  it('of those who wait for a zone leaves out all others', async () => {
    const [web] = [await waiting('web', alpha), await waiting('other', beta), await waiting('none')];
    expect((await listed(`status=new&zone=${alpha}`)).fps).toEqual([web.fp]);
    expect((await listed('status=new')).fps).toHaveLength(3);
  });
});
