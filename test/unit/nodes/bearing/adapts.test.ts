import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../../../lib/assembly/explain/routes.ts';
import { minuteMs, secondMs } from '../../../../lib/core/time.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { type BearingRow, bearingRef } from '../../../../lib/nodes/bearing/bearing.ts';
import { read } from '../../../../lib/runtime/read.ts';
import { zoneNow } from '../../../../lib/zones/reads/zones.ts';
import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { endOf } from '../../../../lib/zones/turns/turn.ts';
import { PlayedServer } from '../../../../programs/loadtest/played-server.ts';
import { Agent, Daemon } from '../../../../tools/support/players.ts';
import { seeded } from '../../../../tools/support/seeded.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

const everyMs = 15 * secondMs;

/** A node whose server registers so many client systems a second; its agent reports that when Muster asks for it. */
async function aMeasuredNode(world: World, fqdn: string, perS: number) {
  const agent = await new Agent(world, fqdn).start();
  agent.fallSilent();
  const random = seeded(5);
  const server = new PlayedServer({ now: world.now, perS: () => perS, jobMs: () => 6_000 + 4_000 * random() });
  let isAsked = false;
  const stop = world.every(10 * secondMs, async () => {
    server.work();
    const bearing = server.meter.read();
    const { body } = await agent.beat(isAsked ? { bearing } : {});
    server.meter.acknowledged();
    isAsked = (body as { bearing?: boolean }).bearing === true;
  });
  return { agent, server, stop, isAsked: () => isAsked };
}

/**
 * Client systems that ask for their node whenever they were told to, until each has another one than the first. `came`:
 * the moments at which they had it; `calls`: how often they asked.
 */
function asking(world: World, webs: readonly Daemon[], accept: (fp: string) => void) {
  const nextAt = new Map(webs.map((web, n) => [web, world.now() + 100 * n]));
  const all = { came: [] as number[], calls: 0, left: () => nextAt.size };
  world.every(secondMs, async () => {
    for (const [web, at] of nextAt) {
      if (at > world.now()) continue;
      all.calls += 1;
      const reply = await web.orphan();
      nextAt.set(web, world.now() + Number(reply.headers['retry-after']) * secondMs);
      if (reply.status !== 200) continue;
      nextAt.delete(web);
      all.came.push(world.now());
      accept(web.fp);
    }
  });
  return all;
}

/** A loss of about so many client systems, which go to the only other node, whose server bears so many a second. */
async function aLoss(settings: object, { systems = 260, perS = 1 } = {}) {
  const world = await stepped({ admitEveryMs: everyMs, countEveryMs: 10_000, zoneMaxAgeMs: 1_000 });
  const lost = await new Agent(world, 'node1.acme.org').start();
  const node = await aMeasuredNode(world, 'node2.acme.org', perS);
  await world.call('PATCH', '/api/v1/zones/default', { remapAfterMs: 0, ...settings });
  await world.step(minuteMs);
  const webs = Array.from({ length: 2 * systems }, (_, n) => new Daemon(world, `web${n}.acme.org`));
  for (const web of webs) await web.onboarded();
  await world.step(minuteMs);
  const there: Daemon[] = [];
  for (const web of webs) if ((await web.orphan()).body === lost.fqdn) there.push(web);
  lost.fallSilent();
  await world.step(minuteMs);
  const came = asking(world, there, (fp) => node.server.accept(fp));
  return { world, came, ...node };
}

const nodeIn = async (world: World, id: string): Promise<NodeView> => (await world.call('GET', `/api/v1/nodes/${id}`)).body as NodeView;
const zoneIn = async (world: World): Promise<ZoneView> => (await world.call('GET', '/api/v1/zones/default')).body as ZoneView;
const rowIn = async (world: World, id: string): Promise<BearingRow | undefined> => read(world.environment('sweep'), bearingRef(id));
const memberIn = async (world: World) => (await zoneNow(world.environment('sweep'), 'default'))!.members[1]!;
const atOnce = { admission: 'adapts-at-once', admitAtMostEveryMs: 500 };

describe('client systems of a lost node', () => {
  it('come as fast as the other bears, within five minutes of the first rise, and when they are forecast to', async () => {
    const { world, came, agent } = await aLoss(atOnce, { systems: 400 });
    const looks: { at: number; everyMs: number; forecastAt: number; phase: string | undefined }[] = [];
    const begun = world.now();
    for (let n = 0; n < 100 && came.left() > 0; n++) {
      await world.step(10 * secondMs);
      const { rate } = await nodeIn(world, agent.id);
      const forecastAt = Date.parse((await zoneIn(world)).forecast?.allPlacedAt ?? '');
      looks.push({ at: world.now(), everyMs: rate!.everyMs, forecastAt, phase: (await rowIn(world, agent.id))?.phase });
    }
    const over = came.came.at(-1)!;
    // At one per 15 s they would take an hour and a half.
    expect(over - begun).toBeLessThan(12 * minuteMs);

    const rises = looks.find((look) => look.everyMs < everyMs)!.at;
    expect(looks.find((look) => look.everyMs <= 1_000 / 0.8)!.at - rises).toBeLessThanOrEqual(5 * minuteMs);
    // As many come as that says: at least four fifths of sixty in one of these minutes.
    const minute = (n: number) => came.came.filter((at) => at > rises + n * minuteMs && at <= rises + (n + 1) * minuteMs).length;
    expect(Math.max(...[0, 1, 2, 3, 4].map(minute))).toBeGreaterThanOrEqual(48);

    // A plan takes a rate over within a sweep of its row.
    const settled = looks.filter(({ phase, at }, n) => phase === 'steady' && looks[n - 1]?.phase === phase && over - at > minuteMs);
    expect(settled.length).toBeGreaterThan(6);
    for (const { at, forecastAt } of settled) expect(Math.abs(forecastAt - over) / (over - at)).toBeLessThanOrEqual(0.1);
    // They ask often while the rate rises, and not without end.
    expect(came.calls).toBeLessThan(10 * came.came.length);
  }, 60_000);

  it('wait at the usual rate until an hour is measured, unless an operator says otherwise', async () => {
    const { world, agent } = await aLoss({ admission: 'adapts' }, { systems: 130 });
    await world.step(10 * minuteMs);
    const { rate } = await nodeIn(world, agent.id);
    expect([rate!.everyMs, rate!.adapts]).toEqual([everyMs, true]);
    expect(rate!.because).toMatch(/^it goes by the usual rate until an hour is measured, \d min so far$/);
    expect((await zoneIn(world)).forecast!.because).toMatch(/node2.acme.org admits one per 15 s$/);
  }, 60_000);

  it('go on at the usual rate when the rates of their zone are fixed again', async () => {
    const { world, agent, isAsked } = await aLoss(atOnce, { systems: 130 });
    await world.step(3 * minuteMs);
    const fast = await memberIn(world);
    expect(fast.admitEveryMs).toBeLessThan(4_000);
    expect(isAsked()).toBe(true);

    await world.call('PATCH', '/api/v1/zones/default', { admitAtMostEveryMs: 6_000 });
    await world.step(5_000);
    expect((await memberIn(world)).admitEveryMs).toBe(6_000);
    await world.call('PATCH', '/api/v1/zones/default', { admission: 'fixed' });
    await world.step(5_000);
    expect((await memberIn(world)).admitEveryMs).toBe(everyMs);
    const zone = (await zoneNow(world.environment('sweep'), 'default'))!;
    expect([...zone.turns.of.values()].filter((turn) => endOf(turn) > world.now()).every((turn) => turn.everyMs === everyMs)).toBe(true);
    expect((await nodeIn(world, agent.id)).rate).toBeUndefined();
    await world.step(20_000);
    expect(isAsked()).toBe(false);
  }, 60_000);
});

describe('a node in a zone whose rates adapt', () => {
  const aNode = async (settings: object = atOnce) => {
    const world = await stepped({ admitEveryMs: everyMs, zoneMaxAgeMs: 1_000 });
    const node = await aMeasuredNode(world, 'node2.acme.org', 1);
    await world.call('PATCH', '/api/v1/zones/default', settings);
    await world.step(minuteMs);
    return { world, ...node };
  };

  it('is asked for what it bears, and shown with that', async () => {
    const { world, agent, server, isAsked } = await aNode();
    expect(isAsked()).toBe(true);
    for (let n = 0; n < 8; n++) {
      server.accept(`system ${n}`);
      await world.step(15_000);
    }
    const { rate } = await nodeIn(world, agent.id);
    expect(rate).toMatchObject({ everyMs: everyMs / 2, adapts: true });
    const explained = ((await world.call('GET', `/api/v1/explain/node/${agent.fqdn}`)).body as Explanation).also;
    expect(explained).toContainEqual({ subject: 'it admits one per 7.5 s', because: rate!.because, at: expect.any(String) });
    const listed = (await world.call('GET', '/api/v1/nodes')).body as { items: NodeView[] };
    expect(listed.items[0]!.rate).toMatchObject({ everyMs: everyMs / 2, adapts: true });
  });

  it('keeps the rate that an operator has set, and is not asked', async () => {
    const { world, agent, isAsked } = await aNode();
    await world.call('PATCH', `/api/v1/nodes/${agent.id}`, { admitEveryMs: 5_000 });
    await world.step(30_000);
    expect(isAsked()).toBe(false);
    expect((await nodeIn(world, agent.id)).rate).toEqual({ everyMs: 5_000, adapts: false, because: 'an operator has set it' });
    await world.call('PATCH', `/api/v1/nodes/${agent.id}`, { admitEveryMs: null });
    await world.step(30_000);
    expect((await nodeIn(world, agent.id)).rate).toMatchObject({ everyMs, adapts: true });
  });

  it('goes by the usual rate if its agent does not measure', async () => {
    const { world, agent, stop } = await aNode();
    stop();
    const other = await new Agent(world, 'node3.acme.org').start();
    const { rate } = await nodeIn(world, other.id);
    const because = 'it goes by the usual rate, because its agent does not report what it bears';
    expect(rate).toEqual({ everyMs, adapts: true, because });
    expect((await nodeIn(world, agent.id)).rate!.because).not.toBe(because);
  });

  it('counts a report once, however often it is delivered', async () => {
    const { world, agent, server, stop } = await aNode();
    stop();
    server.accept('a system');
    const bearing = server.meter.read();
    await agent.beat({ bearing });
    await world.step(0);
    const once = await rowIn(world, agent.id);
    agent.seq -= 1;
    await agent.beat({ bearing });
    await world.step(0);
    expect(await rowIn(world, agent.id)).toEqual(once);
  });

  it('is refused what is no report', async () => {
    const { agent, server } = await aNode();
    const bearing = server.meter.read();
    for (const wrong of [{ accepted: -1 }, { overMs: 0 }, { waiting: 1e9 }, { cpus: 0.5 }, { more: 1 }])
      expect((await agent.beat({ bearing: { ...bearing, ...wrong } })).status).toBe(422);
  });
});

describe('the settings of rates that adapt', () => {
  it('are bounded, have defaults, and make no sense where rates are fixed', async () => {
    const world = await stepped();
    const set = (body: object) => world.call('PATCH', '/api/v1/zones/default', body);
    expect(await set({ admitAtMostEveryMs: 500 })).toMatchObject({ status: 409, body: { type: 'urn:muster:problem:refused' } });
    expect(await set({ admission: 'adapts', admitAtMostEveryMs: 10 })).toMatchObject({ status: 422 });
    expect(await set({ admission: 'sometimes' })).toMatchObject({ status: 422 });
    expect(await set({ admission: 'adapts' })).toMatchObject({
      status: 200,
      body: { admission: 'adapts', admitAtMostEveryMs: 1_000, readyWithinMs: 120_000 },
    });
    expect(await set({ readyWithinMs: 60_000 })).toMatchObject({
      body: { admission: 'adapts', admitAtMostEveryMs: 1_000, readyWithinMs: 60_000 },
    });
    expect(await set({ readyWithinMs: null })).toMatchObject({ body: { readyWithinMs: 120_000 } });
    const fixed = (await set({ admission: 'fixed' })).body as ZoneView;
    expect([fixed.admission, fixed.admitAtMostEveryMs]).toEqual([undefined, undefined]);
    expect(fixed.because).toBe('set by an operator: nodes admit at fixed rates');
  });
});
