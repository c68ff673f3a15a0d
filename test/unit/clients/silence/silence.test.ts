import { describe, expect, it } from 'vitest';
import type { SystemView } from '../../../../lib/clients/admin-routes.ts';
import { minuteMs } from '../../../../lib/core/time.ts';
import { Agent, Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

/** A node and its client systems, all seen by its digests; `digest` sends one that shows only these. */
async function aFleet(size: number) {
  const world = await stepped();
  const node = await new Agent(world, 'node1.acme.org').start();
  const fleet: Daemon[] = [];
  for (let n = 0; n < size; n++) fleet.push(await new Daemon(world, `web${n}.acme.org`).onboarded());
  type List = { readonly version: number; readonly systems: readonly string[] };
  const listed = async () => (await node.systems()).body as List;
  const digest = async (shown: readonly Daemon[], list?: List): Promise<void> => {
    const { version, systems } = list ?? (await listed());
    const bytes = Buffer.alloc(Math.ceil(systems.length / 8));
    for (const { fp } of shown) {
      const place = systems.indexOf(fp);
      bytes[place >> 3] = bytes[place >> 3]! | (1 << (place & 7));
    }
    await node.beat({ digest: { listVersion: version, bits: bytes.toString('base64') } });
    await world.step(minuteMs);
  };
  await world.step(minuteMs);
  await digest(fleet);
  await digest(fleet);
  return { world, node, fleet, digest, listed };
}
const viewOf = async (world: World, { fp }: Daemon): Promise<SystemView> =>
  (await world.call('GET', `/api/v1/systems/${fp}`)).body as SystemView;
const eventsOf = (world: World, type: string): object[] => world.bus.published.filter((one) => one.type === type).map(({ data }) => data);
const without = (fleet: readonly Daemon[], ...gone: readonly (Daemon | undefined)[]): Daemon[] =>
  fleet.filter((one) => !gone.includes(one));

describe('a client system that its node no longer sees', () => {
  it('is silent after two digests, stays onboarded where it is, and is told of once', async () => {
    const { world, node, fleet, digest } = await aFleet(8);
    const missedAt = world.now();
    await digest(without(fleet, fleet[3]));
    expect(await viewOf(world, fleet[3]!)).not.toHaveProperty('silentSince');
    await digest(without(fleet, fleet[3]));

    const view = await viewOf(world, fleet[3]!);
    expect(view).toMatchObject({ status: 'onboarded', node: { id: node.id, confirmed: true } });
    expect(view.silentSince).toBe(new Date(missedAt).toISOString());
    expect(view.because).toBe(`silent since ${view.silentSince}: its node no longer sees it, and it has not called`);
    for (let n = 0; n < 8; n++) await digest(without(fleet, fleet[3]));
    const systems = [{ system: fleet[3]!.fp, fqdn: 'web3.acme.org', since: missedAt }];
    expect(eventsOf(world, 'client.silent')).toEqual([{ zone: 'default', node: node.id, host: 'node1.acme.org', systems }]);
    expect(eventsOf(world, 'client.heard')).toEqual([]);
  });

  it('is counted with its node and its zone', async () => {
    const { world, fleet, digest } = await aFleet(8);
    await digest(without(fleet, fleet[3], fleet[5]));
    await digest(without(fleet, fleet[3], fleet[5]));

    expect((await world.call('GET', '/api/v1/nodes/node1.acme.org')).body).toMatchObject({ silentAbout: 2 });
    expect((await world.call('GET', '/api/v1/nodes')).body).toMatchObject({ items: [{ silentAbout: 2 }] });
    expect((await world.call('GET', '/api/v1/status')).body).toMatchObject({ zones: [{ silentAbout: 2 }] });
  });

  it('is not silent where the answers with three newer lists were lost, and another is at its place in the last of them', async () => {
    const { world, fleet, digest, listed } = await aFleet(8);
    const old = await listed();
    const places = fleet.map(({ fp }) => old.systems.indexOf(fp));
    const [first, gone] = [fleet[places.indexOf(0)]!, fleet[places.indexOf(3)]!];
    await world.call('POST', '/api/v1/systems/ban', { systems: [first.fp] });
    await listed();
    for (const name of ['db1', 'db2']) {
      await new Daemon(world, `${name}.acme.org`).onboarded();
      await listed();
    }
    expect((await listed()).version).toBe(old.version + 3);

    await digest(without(fleet, gone), old);
    await digest(without(fleet, gone), old);

    const silent = eventsOf(world, 'client.silent').flatMap((data) => (data as { systems: { system: string }[] }).systems);
    expect(silent).toEqual([]);
    for (const one of fleet) expect(await viewOf(world, one)).not.toHaveProperty('silentSince');
  });

  it('is not silent when two machines use the key of its node, and digests may be of the other one', async () => {
    const { world, node, fleet, digest } = await aFleet(8);
    for (const boot of [2, 1, 2, 1]) {
      node.boot = boot;
      await node.up();
      await world.step(6_000);
    }
    expect((await world.call('GET', '/api/v1/nodes/node1.acme.org')).body).toMatchObject({ status: 'quarantined' });
    await digest(without(fleet, fleet[3]));
    await digest(without(fleet, fleet[3]));
    await digest(without(fleet, fleet[3]));

    expect(await viewOf(world, fleet[3]!)).not.toHaveProperty('silentSince');
    expect(eventsOf(world, 'client.silent')).toEqual([]);
  });

  it('is heard again when a digest shows it', async () => {
    const { world, node, fleet, digest } = await aFleet(8);
    const missedAt = world.now();
    await digest(without(fleet, fleet[3]));
    await digest(without(fleet, fleet[3]));
    await digest(fleet);

    expect(await viewOf(world, fleet[3]!)).not.toHaveProperty('silentSince');
    const systems = [{ system: fleet[3]!.fp, fqdn: 'web3.acme.org', since: missedAt }];
    const about = { zone: 'default', node: node.id, host: 'node1.acme.org' };
    expect(eventsOf(world, 'client.heard')).toEqual([{ ...about, by: 'node', systems }]);
  });

  it('is heard again when it calls, although its token says that its node sees it', async () => {
    const { world, fleet, digest } = await aFleet(8);
    const [, , , web] = fleet;
    await web!.knock();
    await web!.status();
    await digest(without(fleet, web));
    await digest(without(fleet, web));
    expect(await viewOf(world, web!)).toHaveProperty('silentSince');
    await world.step(3 * minuteMs);

    expect((await web!.status()).body).toBe('1');
    await world.step(0);
    expect(await viewOf(world, web!)).not.toHaveProperty('silentSince');
    expect(eventsOf(world, 'client.heard')).toMatchObject([{ by: 'call', systems: [{ system: web!.fp }] }]);
    await digest(without(fleet, web));
    await digest(fleet);
    expect(eventsOf(world, 'client.silent')).toHaveLength(1);
    expect(eventsOf(world, 'client.heard')).toHaveLength(1);
  });

  it('is not silent when it has called since', async () => {
    const { world, fleet, digest } = await aFleet(8);
    await world.step(61 * minuteMs);
    await digest(fleet);
    await digest(without(fleet, fleet[3]));
    await fleet[3]!.knock();
    await digest(without(fleet, fleet[3]));
    await digest(without(fleet, fleet[3]));

    expect(await viewOf(world, fleet[3]!)).not.toHaveProperty('silentSince');
    expect(eventsOf(world, 'client.silent')).toEqual([]);
  });
});

describe('a node that no longer sees most of its client systems', () => {
  it('makes none of them silent, and says so, until that has lasted for 15 minutes', async () => {
    const { world, fleet, digest } = await aFleet(12);
    await digest([]);
    await digest([]);
    expect(eventsOf(world, 'client.silent')).toEqual([]);
    const { body } = await world.call('GET', '/api/v1/nodes/node1.acme.org');
    expect(body).toMatchObject({ silentAbout: 0, silenceHeld: { vanished: 12 } });
    for (let n = 0; n < 20; n++) await digest([]);

    expect((eventsOf(world, 'client.silent') as { systems: object[] }[]).flatMap(({ systems }) => systems)).toHaveLength(12);
    expect(await viewOf(world, fleet[3]!)).toHaveProperty('silentSince');
  });

  it('makes none of them silent when it sees them again in time', async () => {
    const { world, fleet, digest } = await aFleet(12);
    for (let n = 0; n < 12; n++) await digest([]);
    await digest(fleet);

    expect(eventsOf(world, 'client.silent')).toEqual([]);
    expect(eventsOf(world, 'client.heard')).toEqual([]);
    expect((await world.call('GET', '/api/v1/nodes/node1.acme.org')).body).not.toHaveProperty('silenceHeld');
  });

  it('makes many silent in several commits, each with its event', async () => {
    const { world, fleet, digest } = await aFleet(60);
    for (let n = 0; n < 30; n++) await digest([]);

    const events = eventsOf(world, 'client.silent') as { systems: { system: string }[] }[];
    expect(events.length).toBeGreaterThan(1);
    expect(events.flatMap(({ systems }) => systems.map(({ system }) => system)).sort()).toEqual(fleet.map(({ fp }) => fp as string).sort());
  });
});
