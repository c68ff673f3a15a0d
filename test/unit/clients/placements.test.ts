import { describe, expect, it } from 'vitest';
import { dayMs, hourMs, minuteMs } from '../../../lib/core/time.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { slotOf } from '../../../lib/zones/map/rows/slots.ts';
import { zoneOf } from '../../../lib/zones/reads/zones.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World, type WorldReply } from '../../../tools/support/stepped.ts';

const rowOf = async ({ table }: World, fp: string) => (await table.read(keyOf({ noun: 'client', id: fp })))!;

describe('a client that has lost a node which is up', () => {
  it('calls every 5 to 60 s, rising, by its token as by its row', async () => {
    const world = await stepped();
    await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').onboarded();
    await world.step(20 * minuteMs);
    const nextOf = ({ headers }: WorldReply) => Number(headers['muster-next']);
    const statusLost = (seconds: number) =>
      world.call('GET', `/system/status?fp=${web.fp}`, undefined, { 'muster-token': web.token!, 'muster-lost': String(seconds) });

    const byToken = [await web.knock({ lost: true }), await statusLost(1), await statusLost(300), await statusLost(86_400)].map(nextOf);
    await world.step(hourMs);
    const byRow = nextOf(await statusLost(86_400));

    const wanted = [5, 5, 30, 60, 60];
    [...byToken, byRow].forEach((seconds, n) => {
      expect(Math.abs(seconds - wanted[n]!), `call ${n}: ${seconds} s`).toBeLessThanOrEqual(wanted[n]! / 10 + 0.5);
    });
  });
});

describe('a client whose node is lost', () => {
  it('is an orphan at once, without a write for it, and is told another node by its own call', async () => {
    const world = await stepped();
    const [one, two] = [new Agent(world, 'node1.acme.org'), new Agent(world, 'node2.acme.org')];
    await one.start();
    await two.start();
    const web = await new Daemon(world, 'web1.acme.org').onboarded();
    const mine =
      (await web.status()).body === '1' && ((await rowOf(world, web.fp)).body as { told: { node: string } }).told.node === one.id
        ? one
        : two;
    const other = mine === one ? two : one;
    const { rev } = await rowOf(world, web.fp);

    mine.fallSilent();
    await world.step(50_000);

    expect((await web.status()).body).toBe('2');
    expect((await rowOf(world, web.fp)).rev).toBe(rev);
    expect((await web.orphan()).body).toBe(other.fqdn);
    expect((await rowOf(world, web.fp)).rev).toBe(rev + 1);
    expect((await web.knock({ confirmed: other.fqdn })).body).toBe('1');
  });

  it('does not notice a reboot of its node within the lease', async () => {
    const world = await stepped();
    const node = await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').onboarded();
    const { head } = (await zoneOf(world.environment('sweep'), 'default'))!;
    node.fallSilent();
    node.boot = 2;

    await world.step(20_000);
    await node.up();
    await world.step(5_000);
    await node.up();
    node.beats();
    await world.step(30_000);

    expect((await web.status()).body).toBe('1');
    expect((await zoneOf(world.environment('sweep'), 'default'))!.head).toEqual(head);
  });
});

describe('a client that is made to knock because its slot has moved', () => {
  it('hears so at once, however old the map is that the door has at hand', async () => {
    const world = await stepped({ zoneMaxAgeMs: dayMs });
    await new Agent(world, 'node1.acme.org').start();
    const webs = Array.from({ length: 8 }, (_, n) => new Daemon(world, `web${n}.acme.org`));
    for (const web of webs) await web.onboarded();

    await new Agent(world, 'node2.acme.org').start();
    const { map } = (await zoneOf({ ...world.environment('sweep'), caches: new Map() }, 'default'))!;
    const bytes = await Promise.all(webs.map(async (web) => (await web.knock()).body));

    const owners = webs.map(({ fp }) => map.owner[slotOf(fp, map.owner.length)]);
    expect(new Set(owners)).toEqual(new Set([0, 1]));
    expect(bytes).toEqual(owners.map((owner) => (owner === 0 ? '1' : '2')));
  });
});

describe('a client that was told Orphan by a newer map than the door has at hand', () => {
  it('is not sent back to the node that it has lost', async () => {
    const world = await stepped();
    const one = await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').onboarded();
    // The map that an environment has at hand when the node is lost a moment later.
    const { default: door } = await import('../../../functions/knock.ts');
    const knock = world.environment('knock');
    const old: Shell = { ...knock, caches: new Map(), settings: { ...knock.settings, zoneMaxAgeMs: dayMs } };
    await zoneOf(old, 'default');
    one.fallSilent();
    await new Agent(world, 'node2.acme.org').start();
    await world.step(50_000);

    const { body } = await door.handle(
      aRequest({ method: 'GET', path: '/system/orphan', query: `fp=${web.fp}`, headers: { 'muster-token': web.token! } }),
      old,
    );

    expect(body).toBe('node2.acme.org');
  });
});

describe('a machine that runs on another node than its key was told', () => {
  it('is an orphan when it says so, and told where that is', async () => {
    const world = await stepped();
    const one = await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').onboarded();
    one.fallSilent();
    await new Agent(world, 'node2.acme.org').start();
    await world.step(50_000);
    expect((await web.orphan()).body).toBe('node2.acme.org');
    await web.knock({ confirmed: 'node2.acme.org' });

    const copy = await web.knock({ confirmed: 'node1.acme.org' });

    expect(copy.body).toBe('2');
    expect((await web.orphan()).body).toBe('node2.acme.org');
    expect((await web.knock({ confirmed: 'node2.acme.org' })).body).toBe('1');
  });
});

describe('a reader whose map is older than the token it is shown', () => {
  const lagging = async () => {
    const world = await stepped({ zoneMaxAgeMs: dayMs });
    const node = await new Agent(world, 'node1.acme.org').start();
    const web = new Daemon(world, 'web1.acme.org');
    const old: Shell = { ...world.environment('knock'), caches: new Map() };
    await zoneOf(old, 'default');
    node.fallSilent();
    await world.step(60_000);
    await new Agent(world, 'node2.acme.org').start();
    world.environment('knock').caches.clear();
    await web.onboarded();
    return { world, old, web };
  };

  it('reads the zone again before it answers', async () => {
    const { old, web } = await lagging();
    const { default: door } = await import('../../../functions/knock.ts');
    const request = { id: 'r', method: 'GET', path: '/system/status', query: `fp=${web.fp}`, body: '', source: '' };
    const ask = async (token: string | undefined) =>
      (await door.handle({ ...request, header: (name) => (name === 'muster-token' ? token : undefined) }, old)).body;

    expect((await zoneOf(old, 'default'))!.head.version).toBe(1);
    expect(await ask(undefined)).toBe('2');
    expect(await ask(web.token)).toBe('1');
    expect((await zoneOf(old, 'default'))!.head.version).toBeGreaterThan(1);
  });

  it('does not wait for a reading that began before that version was there', async () => {
    const { old } = await lagging();
    old.caches.clear();
    let release = (): void => {};
    const waits = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { readMany } = old.table;
    let stale = await readMany([keyOf({ noun: 'zone', id: 'default' }), keyOf({ noun: 'revoked', id: 'default' })]);
    stale = stale.map((row, n) => (n === 0 ? { ...row!, body: { ...(row!.body as object), version: 0 } } : row));
    let reads = 0;
    const slow: Shell = {
      ...old,
      table: {
        ...old.table,
        readMany: async (keys) => {
          reads += 1;
          if (reads > 1) return readMany(keys);
          await waits;
          return stale;
        },
      },
    };

    const first = zoneOf(slow, 'default');
    const demanding = zoneOf(slow, 'default', 3);
    release();

    expect((await first)!.head.version).toBe(0);
    expect((await demanding)!.head.version).toBeGreaterThanOrEqual(3);
  });
});
