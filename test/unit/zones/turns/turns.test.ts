import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../../../lib/assembly/explain/routes.ts';
import { minuteMs, secondMs } from '../../../../lib/core/time.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { zoneOf } from '../../../../lib/zones/reads/zones.ts';
import type { LoadedZone } from '../../../../lib/zones/rows/loaded.ts';
import { endOf, turnOf } from '../../../../lib/zones/turns/turn.ts';
import { defaultZone } from '../../../../lib/zones/zone.ts';
import { Agent, Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World, type WorldReply } from '../../../../tools/support/stepped.ts';

const everyMs = 15 * secondMs;
/** A deployment whose nodes admit one in 15 s and which counts its clients often. */
const admitting = () => stepped({ admitEveryMs: everyMs, countEveryMs: 10_000, zoneMaxAgeMs: 0 });
const zoneIn = async (world: World): Promise<LoadedZone> => (await zoneOf(world.environment('sweep'), defaultZone))!;
const secondsOf = ({ headers }: WorldReply) => Number(headers['retry-after']);

/** So many clients on one node, which is the only one; all of them counted. */
async function onOneNode(world: World, clients: number): Promise<{ node: Agent; webs: Daemon[] }> {
  const node = await new Agent(world, 'node1.acme.org').start();
  const webs = Array.from({ length: clients }, (_, n) => new Daemon(world, `web${n}.acme.org`));
  for (const web of webs) await web.onboarded();
  await world.step(30_000);
  return { node, webs };
}

describe('clients of a lost node', () => {
  const lost = async () => {
    const world = await admitting();
    const { node, webs } = await onOneNode(world, 6);
    await world.call('PATCH', '/api/v1/zones/default', { remapAfterMs: 0 });
    node.fallSilent();
    await world.step(minuteMs);
    await new Agent(world, 'node2.acme.org').start();
    return { world, webs };
  };

  it('are told the other in turn, one in 15 s, and when to come', async () => {
    const { world, webs } = await lost();
    const zone = await zoneIn(world);
    const turns = webs.map(({ fp }) => turnOf(zone.turns, fp)!);
    expect(new Set(turns.map((turn) => (turn - turns[0]!) % everyMs))).toEqual(new Set([0]));
    expect(Math.max(...turns) - Math.min(...turns)).toBe(5 * everyMs);

    for (const [n, web] of webs.entries()) {
      const early = await web.orphan();
      if (turns[n]! <= world.now()) expect(early).toMatchObject({ status: 200, body: 'node2.acme.org' });
      else expect([early.status, secondsOf(early)]).toEqual([204, Math.ceil((turns[n]! - world.now()) / 1000)]);
      expect(Number((await web.status()).headers['muster-next'])).toBeLessThanOrEqual(6 * 15);
    }
    await world.step(6 * everyMs);

    for (const web of webs) expect(await web.orphan()).toMatchObject({ status: 200, body: 'node2.acme.org' });
  });

  it('are told before their turn by no door, whatever its map was read from', async () => {
    const { world, webs } = await lost();
    world.environment('orphan')?.caches.clear();

    const zone = await zoneIn(world);
    const waiting = webs.filter(({ fp }) => turnOf(zone.turns, fp)! > world.now());

    expect(waiting.length).toBeGreaterThan(2);
    for (const web of waiting) {
      expect((await web.orphan({ token: null })).status).toBe(204);
      // Nothing was heard in its zone for a minute, so that only who says that it lost its node is moved (guard-rail
      // 9).
      expect((await web.status({ lost: true })).body).toBe('2');
    }
  });

  it('need not wait any longer once the node admits any number', async () => {
    const { world, webs } = await lost();

    const set = await world.call('PATCH', '/api/v1/nodes/node2.acme.org', { admitEveryMs: 0 });
    await world.step(5_000);

    expect(set).toMatchObject({ status: 200, body: { admitEveryMs: 0 } });
    for (const web of webs) expect((await web.orphan()).body).toBe('node2.acme.org');
  });
});

describe('clients of a node that leaves', () => {
  it('stay onboarded on it until their turn, and it is not let go before', async () => {
    const world = await admitting();
    const { node, webs } = await onOneNode(world, 6);
    await new Agent(world, 'node2.acme.org').start();
    await world.step(10 * minuteMs);
    await node.leave('drain');
    await world.step(5_000);
    const zone = await zoneIn(world);
    const ends = Math.max(...[...zone.turns.of.values()].map(endOf));

    const waiting = webs.filter(({ fp }) => (turnOf(zone.turns, fp) ?? 0) > world.now());
    expect(waiting.length).toBeGreaterThan(1);
    for (const web of waiting) {
      const status = await web.status();
      expect(status.body).toBe('1');
      expect(Number(status.headers['muster-next'])).toBe(Math.ceil((turnOf(zone.turns, web.fp)! - world.now()) / 1000));
    }
    await world.step(ends - world.now() - 5_000);
    expect((await world.call('GET', '/api/v1/nodes/node1.acme.org')).body).toMatchObject({ status: 'leaving' });
    await world.step(minuteMs);
    for (const web of webs) expect((await web.orphan()).body).toBe('node2.acme.org');
  });

  it('let it go with the last turn, and not only half an hour after it began to leave', async () => {
    const world = await admitting();
    const { node } = await onOneNode(world, 6);
    await new Agent(world, 'node2.acme.org').start();
    await world.step(10 * minuteMs);
    await node.leave('drain');
    await world.step(10_000);
    const zone = await zoneIn(world);
    await node.say('node.released', { mapVersion: zone.head.version });
    const ends = Math.max(...[...zone.turns.of.values()].map(endOf));

    await world.step(ends - world.now() - 5_000);
    expect((await world.call('GET', '/api/v1/nodes/node1.acme.org')).body).toMatchObject({ status: 'leaving' });
    await world.step(15_000);
    expect((await world.call('GET', '/api/v1/nodes/node1.acme.org')).body).toMatchObject({ status: 'dropped', because: 'drained' });
  });
});

describe('whoever asks why a node is still leaving', () => {
  it('is told until when its client systems wait for their turns, which word of its agent is awaited, and that it went as planned', async () => {
    const world = await admitting();
    const { node } = await onOneNode(world, 6);
    await new Agent(world, 'node2.acme.org').start();
    await world.step(10 * minuteMs);
    await node.leave('drain');
    await world.step(10_000);
    const shown = async () => (await world.call('GET', '/api/v1/nodes/node1.acme.org')).body as NodeView;
    const bears = async () => ((await world.call('GET', '/api/v1/explain/node/node1.acme.org')).body as Explanation).also;
    const { turns, head } = await zoneIn(world);
    const ends = Math.max(...[...turns.of.values()].map(endOf));
    const turnsUntil = new Date(ends).toISOString();

    const waiting = `its client systems wait for their turns elsewhere, the last one ${turnsUntil}`;
    const both = `${waiting}; its agent has not reported that it notified the clients of map version ${head.mapVersion}`;
    expect((await shown()).leaving).toMatchObject({ mode: 'drain', turnsUntil, waitsFor: both });
    expect(await bears()).toContainEqual({ subject: 'it waits', because: both });

    await node.say('node.released', { mapVersion: head.mapVersion });
    await world.step(5_000);
    expect((await shown()).leaving).toMatchObject({ turnsUntil, waitsFor: waiting });

    await world.step(ends - world.now() + 15_000);
    expect(await shown()).toMatchObject({ status: 'dropped', dropped: { planned: true } });
    expect(await bears()).toContainEqual({
      subject: 'it is dropped',
      because: 'given up as planned; it has not asked to come back, which an administrator must allow',
    });
  });
});

describe('keys that are accepted together', () => {
  it('are told their node in turn, too, behind whoever was accepted earlier in the same bulk', async () => {
    const world = await admitting();
    await new Agent(world, 'node1.acme.org').start();
    const webs = Array.from({ length: 5 }, (_, n) => new Daemon(world, `web${n}.acme.org`));
    for (const web of webs) await web.knock();

    await world.call('POST', '/api/v1/systems/accept', { systems: webs.slice(0, 3).map(({ fp }) => fp) });
    await world.call('POST', '/api/v1/systems/accept', { systems: webs.slice(3).map(({ fp }) => fp), earlier: 3 });

    const rows = await Promise.all(webs.map(({ fp }) => world.table.read(keyOf({ noun: 'client', id: fp }))));
    const waits = rows.map((row) => ((row!.body as { notBefore?: number }).notBefore ?? world.now()) - world.now());
    expect(waits).toEqual([0, 15_000, 30_000, 45_000, 60_000]);
    for (const web of webs) await web.knock();
    expect(await Promise.all(webs.map(async (web) => (await web.orphan()).status))).toEqual([200, 204, 204, 204, 204]);
    await world.step(30_000);
    expect(await Promise.all(webs.map(async (web) => (await web.orphan()).status))).toEqual([200, 200, 200, 204, 204]);
  });
});
