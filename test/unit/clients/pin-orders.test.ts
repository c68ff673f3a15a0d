import { beforeEach, describe, expect, it } from 'vitest';
import { ownerOf } from '../../../lib/clients/rows/status.ts';
import { contract } from '../../../lib/contract.ts';
import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { forecastOf } from '../../../lib/zones/forecast.ts';
import { nobody } from '../../../lib/zones/map/rows/slots.ts';
import { leftTurnOf, pinsRef, pinTurnOf } from '../../../lib/zones/pins/pins.ts';
import { zoneOf } from '../../../lib/zones/reads/zones.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { indexesStandStill } from '../../support/lagging.ts';

const zoneIn = async (world: World) => (await zoneOf(world.environment('sweep'), defaultZone))!;
const pinned = async (world: World) =>
  ((await world.table.read(keyOf(pinsRef(defaultZone))))?.body as { nodes: object[] } | undefined)?.nodes;
const pin = (world: World, systems: readonly string[], node: string, soft = false) =>
  world.call('POST', '/api/v1/systems/pin', { systems, node, ...(soft && { soft }) });
const view = async (world: World, fp: string) => (await world.call('GET', `/api/v1/systems/${fp}`)).body as Record<string, unknown>;
const why = async (world: World, fp: string) =>
  ((await world.call('GET', `/api/v1/explain/system/${fp}`)).body as { also: { subject: string; because: string }[] }).also;

/** The node that it was told. */
const placeOf = async (world: World, { fp }: Daemon) => ((await view(world, fp))['node'] as { fqdn: string } | undefined)?.fqdn;

/** Two nodes, and a client system on the first that is there. */
async function twoNodes(settings: Parameters<typeof stepped>[0] = {}) {
  const world = await stepped({ zoneMaxAgeMs: 0, countEveryMs: 10_000, ...settings });
  const nodes = [await new Agent(world, 'node1.acme.org').start(), await new Agent(world, 'node2.acme.org').start()];
  const web = new Daemon(world, 'web1.acme.org');
  await web.onboarded();
  const first = await placeOf(world, web);
  const home = nodes.find(({ fqdn }) => fqdn === first)!;
  const other = nodes.find((one) => one !== home)!;
  return { world, web, home, other };
}

/** It notices: its token is revoked, so it knocks and asks where to go. */
async function settled(web: Daemon): Promise<string> {
  await web.knock();
  const { body, status } = await web.orphan();
  if (status === 200) await web.knock({ confirmed: body as string });
  return (await web.status()).body as string;
}

describe('a client system that is pinned', () => {
  let all: Awaited<ReturnType<typeof twoNodes>>;
  beforeEach(async () => {
    all = await twoNodes();
  });

  it('goes to its node, is on the list of that and on no other, and is shown so', async () => {
    const { world, web, home, other } = all;
    expect((await home.systems()).body).toMatchObject({ systems: [web.fp] });

    const { body } = await pin(world, [web.fp], other.fqdn);

    expect(body).toEqual({
      results: [{ fp: web.fp, done: true, because: `pinned to ${other.fqdn}: it waits for that node and no other` }],
    });
    await world.step(1_000);
    expect((await web.status()).body).toBe('2');
    expect(await settled(web)).toBe('1');
    expect(await placeOf(world, web)).toBe(other.fqdn);
    expect((await other.systems()).body).toMatchObject({ systems: [web.fp] });
    expect((await home.systems()).body).toMatchObject({ systems: [] });
    expect((await other.verdictOn(web.fp)).body).toEqual({ verdict: 'accept', fp: web.fp });
    expect(await view(world, web.fp)).toMatchObject({ status: 'onboarded', pin: { fqdn: other.fqdn, hard: true, standing: 'up' } });
    expect(await pinned(world)).toEqual([
      { index: (await zoneIn(world)).members.findIndex((m) => m?.fqdn === other.fqdn), hard: 1, soft: 0 },
    ]);
    expect((await world.call('GET', '/api/v1/systems?pinned=yes')).body).toMatchObject({ items: [{ fp: web.fp }] });
    expect((await pin(world, [web.fp], other.fqdn)).body).toMatchObject({ results: [{ done: true, because: 'it is so already' }] });
  });

  it('goes by its slot again once it is let go', async () => {
    const { world, web, home, other } = all;
    await pin(world, [web.fp], other.fqdn);
    await settled(web);

    const { body } = await world.call('POST', '/api/v1/systems/unpin', { systems: [web.fp] });

    expect(body).toEqual({ results: [{ fp: web.fp, done: true, because: 'unpinned: it goes by its slot' }] });
    expect(await settled(web)).toBe('1');
    expect(await placeOf(world, web)).toBe(home.fqdn);
    expect(await pinned(world)).toEqual([]);
    expect((await home.systems()).body).toMatchObject({ systems: [web.fp] });
  });

  it('is off the list of its node once it is let go, although the index shows its pin still', async () => {
    const { world, web, home, other } = all;
    const stays = new Daemon(world, 'web2.acme.org');
    await stays.onboarded();
    await pin(world, [web.fp, stays.fp], other.fqdn);
    await settled(web);
    indexesStandStill(world, 'node-door');

    await world.call('POST', '/api/v1/systems/unpin', { systems: [web.fp] });

    expect(await settled(web)).toBe('1');
    expect(await placeOf(world, web)).toBe(home.fqdn);
    expect((await other.systems()).body).toMatchObject({ systems: [stays.fp] });
  });

  it('hard waits for its node while that is away, says so, and is onboarded when it is back', async () => {
    const { world, web, other } = all;
    await pin(world, [web.fp], other.fqdn);
    await settled(web);
    const downFrom = world.now();
    other.fallSilent();
    await world.step(2 * minuteMs);

    expect((await web.status({ lost: true })).body).toBe('2');
    expect((await web.orphan()).status).toBe(204);
    const its = (await why(world, web.fp)).find(({ subject }) => subject === 'its pin')!;
    expect(its.because).toMatch(new RegExp(`^pinned to ${other.fqdn}, which is down since .*: it waits for that node and no other$`));
    expect(Date.parse(/since (\S+):/.exec(its.because)![1]!)).toBeGreaterThan(downFrom);

    await other.start();
    await world.step(10_000);
    expect((await web.status()).body).toBe('1');
  });

  it('soft is elsewhere while its node is away, on the list of that, and comes back', async () => {
    const { world, web, home, other } = all;
    await pin(world, [web.fp], other.fqdn, true);
    await settled(web);
    expect(await placeOf(world, web)).toBe(other.fqdn);
    other.fallSilent();
    await world.step(2 * minuteMs);

    expect(await settled(web)).toBe('1');
    expect(await placeOf(world, web)).toBe(home.fqdn);
    expect((await home.systems()).body).toMatchObject({ systems: [web.fp] });
    expect((await why(world, web.fp)).find(({ subject }) => subject === 'its pin')!.because).toContain(
      'it goes by its slot until that node is back',
    );

    await other.start();
    await world.step(10_000);
    expect(await settled(web)).toBe('1');
    expect(await placeOf(world, web)).toBe(other.fqdn);
    expect((await home.systems()).body).toMatchObject({ systems: [] });
  });

  it('follows its node when that joins anew, under another index', async () => {
    const { world, web, other } = all;
    await pin(world, [web.fp], other.fqdn);
    await settled(web);
    expect((await world.call('POST', `/api/v1/nodes/${other.fqdn}/drop`, {})).body).toMatchObject({
      because: expect.stringContaining('; 1 client system'),
    });
    await world.step(10_000);
    await world.call('POST', '/api/v1/node-pool/admit', { hosts: [other.fqdn] });
    await other.up(1);
    await world.step(0);
    await other.up(1);
    await other.say('node.ready');
    await world.step(10_000);

    expect(await settled(web)).toBe('1');
    expect(await placeOf(world, web)).toBe(other.fqdn);
  });

  it('is counted with its node, and no more once it is banned', async () => {
    const { world, web, home, other } = all;
    const systems = async (fqdn: string) =>
      ((await world.call('GET', `/api/v1/nodes/${fqdn}`)).body as { systemsAbout: number }).systemsAbout;
    await pin(world, [web.fp], other.fqdn);
    await world.step(minuteMs);
    expect([await systems(home.fqdn), await systems(other.fqdn)]).toEqual([0, 1]);

    await world.call('POST', '/api/v1/systems/ban', { systems: [web.fp] });
    await world.step(minuteMs);

    expect([await systems(home.fqdn), await systems(other.fqdn)]).toEqual([0, 0]);
    expect(await pinned(world)).toEqual([]);
  });

  it('hard keeps its node from being removed, which says who they are', async () => {
    const { world, web, other } = all;
    await pin(world, [web.fp], other.fqdn);

    expect(await world.call('POST', `/api/v1/nodes/${other.fqdn}/remove`, {})).toMatchObject({
      status: 409,
      body: { type: 'urn:muster:problem:refused', detail: expect.stringMatching(/^web1\.acme\.org waits for .* and no other: /) },
    });
    expect(contract.removeNode.errors).toContain('refused');
    await world.call('POST', '/api/v1/systems/unpin', { systems: [web.fp] });
    expect((await world.call('POST', `/api/v1/nodes/${other.fqdn}/remove`, {})).status).toBe(202);
    expect(await pin(world, [web.fp], other.fqdn)).toMatchObject({ status: 409 });
  });
});

describe('an order to pin', () => {
  it('says of each what cannot be done, and stops nobody else', async () => {
    const { world, web, other } = await twoNodes();
    const pooled = new Daemon(world, 'db1.acme.org');
    await pooled.knock();
    const stranger = new Daemon(world, 'no1.acme.org');

    expect((await pin(world, [pooled.fp, stranger.fp, web.fp], other.fqdn)).body).toMatchObject({
      results: expect.arrayContaining([
        { fp: pooled.fp, done: false, because: 'not accepted yet' },
        { fp: stranger.fp, done: false, because: 'this key never knocked, or its knock has expired' },
        expect.objectContaining({ fp: web.fp, done: true }),
      ]),
    });
    expect(await pin(world, [web.fp], 'nobody.acme.org')).toMatchObject({ status: 404 });
    expect(await pin(world, [], other.fqdn)).toMatchObject({ status: 422 });
    expect(
      await pin(
        world,
        Array.from({ length: 201 }, () => web.fp),
        other.fqdn,
      ),
    ).toMatchObject({ status: 422 });
  });

  it('does not take anybody across zones', async () => {
    const { world, web } = await twoNodes();
    await world.call('POST', '/api/v1/zones', { name: 'emea' });
    const { secret: token } = (await world.call('POST', '/api/v1/node-tokens', { nodes: 'far1.acme.org', zone: 'emea', kind: 'salt' }))
      .body as {
      secret: string;
    };
    const far = await new Agent(world, 'far1.acme.org').start({ token, zone: 'emea' });

    expect((await pin(world, [web.fp], far.fqdn)).body).toEqual({
      results: [
        { fp: web.fp, done: false, because: `it is in zone default, but ${far.fqdn} is in zone emea: a client system cannot change zones` },
      ],
    });
    expect(await pinned(world)).toBeUndefined();
  });
});

describe('many that are pinned at once', () => {
  it('are named as far as five, with how many more they are, when their node is to be removed', async () => {
    const { world, other } = await twoNodes();
    const webs = Array.from({ length: 7 }, (_, n) => new Daemon(world, `more${n}.acme.org`));
    for (const one of webs) await one.accepted();
    const [soft, ...hard] = webs.map(({ fp }) => fp);
    await pin(world, [soft!], other.fqdn, true);
    await pin(world, hard, other.fqdn);

    const { body } = await world.call('POST', `/api/v1/nodes/${other.fqdn}/remove`, {});
    const { detail } = body as { detail: string };
    expect(detail).toMatch(/^(more[1-6]\.acme\.org, ){4}more[1-6]\.acme\.org and 1 client system more wait for /);
  });

  const everyMs = 15 * secondMs;

  it('are told their node one after the other, and stay where they are until then', async () => {
    const { world, web, home, other } = await twoNodes({ admitEveryMs: everyMs });
    const webs = [web, ...Array.from({ length: 7 }, (_, n) => new Daemon(world, `more${n}.acme.org`))];
    for (const one of webs.slice(1)) await one.onboarded();
    const places = await Promise.all(webs.map((one) => placeOf(world, one)));
    const moving = webs.filter((_, n) => places[n] === home.fqdn);
    expect(moving.length).toBeGreaterThan(2);

    await pin(
      world,
      webs.map(({ fp }) => fp),
      other.fqdn,
    );

    const zone = await zoneIn(world);
    const index = zone.members.findIndex((member) => member?.fqdn === other.fqdn);
    expect(zone.pins.get(index)).toMatchObject({ hard: 8, queue: { clients: moving.length, everyMs } });
    const turns = new Map(moving.map(({ fp }) => [fp, pinTurnOf(zone.pins, index, fp)!]));
    const waiting = moving.filter(({ fp }) => turns.get(fp)! > world.now());
    expect(waiting.length).toBeGreaterThan(0);
    for (const one of waiting) {
      await one.knock();
      expect((await one.status()).body).toBe('1');
      expect((await one.orphan()).body).toBe(home.fqdn);
    }
    await world.step(moving.length * everyMs);
    for (const one of moving) expect(await settled(one)).toBe('1');
    expect(new Set(await Promise.all(moving.map((one) => placeOf(world, one))))).toEqual(new Set([other.fqdn]));
  });

  it('and are let go, are told the nodes of their slots one after the other, and stay where they are until then', async () => {
    const { world, web, home, other } = await twoNodes({ admitEveryMs: everyMs });
    const webs = [web, ...Array.from({ length: 11 }, (_, n) => new Daemon(world, `more${n}.acme.org`))];
    for (const one of webs.slice(1)) await one.onboarded();
    const fps = webs.map(({ fp }) => fp);
    await pin(world, fps, other.fqdn);
    await world.step(webs.length * everyMs);
    for (const one of webs) expect(await settled(one)).toBe('1');

    const letGoAt = world.now();
    await world.call('POST', '/api/v1/systems/unpin', { systems: fps });
    await world.step(1_000);

    const zone = await zoneIn(world);
    const index = zone.members.findIndex((member) => member?.fqdn === other.fqdn);
    const going = webs.filter(({ fp }) => ownerOf(zone, { fp, pin: nobody, soft: false }) !== index);
    const left = { at: letGoAt, clients: going.length, everyMs: everyMs / 2 };
    expect([...zone.pins.values()]).toEqual([{ index, hard: 0, soft: 0, queue: expect.anything(), left }]);
    const last = left.at + going.length * left.everyMs;
    expect(forecastOf(zone, undefined, world.now())).toMatchObject({ at: last, because: expect.stringContaining('unpinned client') });
    const waiting = going.filter(({ fp }) => leftTurnOf(zone.pins, index, fp)! > world.now());
    expect(waiting.length).toBeGreaterThan(0);
    for (const one of waiting) {
      await one.knock();
      expect((await one.status()).body).toBe('1');
      expect((await one.orphan()).body).toBe(other.fqdn);
      expect(await why(world, one.fp)).toContainEqual({
        subject: 'it waits',
        because: expect.stringContaining(`its turn at ${home.fqdn}`),
      });
    }
    // Whose slot is that node's own stays, and waits for nothing.
    for (const one of webs.filter((each) => !going.includes(each))) expect(await settled(one)).toBe('1');

    await world.step(last - world.now());
    for (const one of going) expect(await settled(one)).toBe('1');
    expect(new Set(await Promise.all(going.map((one) => placeOf(world, one))))).toEqual(new Set([home.fqdn]));
    // Nobody is pinned, and nobody leaves: the next change forgets the node.
    await pin(world, [web.fp], home.fqdn);
    expect(await pinned(world)).toMatchObject([{ hard: 1 }]);
  });

  it('and lose their node are told another one after the other', async () => {
    const { world, web, other } = await twoNodes({ admitEveryMs: everyMs });
    const webs = [web, ...Array.from({ length: 5 }, (_, n) => new Daemon(world, `more${n}.acme.org`))];
    for (const one of webs.slice(1)) await one.onboarded();
    await world.call('PATCH', '/api/v1/zones/default', { remapAfterMs: 0 });
    await pin(
      world,
      webs.map(({ fp }) => fp),
      other.fqdn,
      true,
    );
    await world.step(6 * everyMs);
    for (const one of webs) await settled(one);

    other.fallSilent();
    await world.step(minuteMs);

    const zone = await zoneIn(world);
    const [one] = [...zone.pins.values()];
    expect(one).toMatchObject({ soft: 6, awayAt: expect.any(Number), queue: { clients: 6, everyMs } });
    for (const { fp } of webs)
      if (pinTurnOf(zone.pins, one!.index, fp)! > world.now()) expect((await webs.find((w) => w.fp === fp)!.orphan()).status).toBe(204);
  });
});
