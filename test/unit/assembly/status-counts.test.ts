import { describe, expect, it } from 'vitest';
import type { ReplyOf } from '../../../lib/api/route.ts';
import type { contract } from '../../../lib/contract.ts';
import type { ZoneName } from '../../../lib/core/ids.ts';
import { rightsOf } from '../../../lib/identity/rights.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { aKey, showing } from '../../support/callers.ts';

type Status = ReplyOf<typeof contract.status>;

const counted = async (world: World, headers?: Readonly<Record<string, string>>): Promise<Status> => {
  await world.step(0);
  const { status, body } = await world.call('GET', '/api/v1/status?counts=yes', undefined, headers);
  expect(status).toBe(200);
  return body as Status;
};
const operate = (world: World, path: string, body: object) => world.call('POST', `/api/v1/systems/${path}`, body);

/** A node, two client systems on it, one that is banned, and two that wait: the second is a clone of the first. */
async function aFleet() {
  const world = await stepped();
  await new Agent(world, 'node1.acme.org').start();
  const web1 = await new Daemon(world, 'web1.acme.org').onboarded();
  const web2 = await new Daemon(world, 'web2.acme.org').onboarded();
  const bad1 = await new Daemon(world, 'bad1.acme.org').accepted();
  await operate(world, 'ban', { systems: [bad1.fp] });
  const [new1, new2] = [new Daemon(world, 'new1.acme.org'), new Daemon(world, 'new2.acme.org')];
  await new1.knock({ machineId: 'the same' });
  await new2.knock({ machineId: 'the same', zone: 'default' });
  await operate(world, 'edit', { systems: [web1.fp, web2.fp], tags: { add: ['prod'] } });
  await operate(world, 'edit', { systems: [web1.fp], tags: { add: ['db'] }, groups: { add: ['eu'] } });
  return { world, web1, new1 };
}

describe('the status, asked to count', () => {
  it('has who waits, who is held, and client systems by status, tag and group', async () => {
    const { world } = await aFleet();
    const { counts, zones } = await counted(world);

    expect(counts).toEqual({
      asOf: new Date(world.now()).toISOString(),
      systems: { new: 2, onboarded: 2, orphan: 0, deleted: 1, held: 1, silent: 0 },
      tags: {
        values: [
          { value: 'prod', count: 2 },
          { value: 'db', count: 1 },
        ],
        more: 0,
      },
      groups: { values: [{ value: 'eu', count: 1 }], more: 0 },
      hosts: { waiting: 0, askingBack: 0 },
    });
    expect(zones.map(({ systems }) => systems)).toEqual([{ new: 1, onboarded: 2, orphan: 0, deleted: 1, held: 1, silent: 0 }]);
  });

  it('follows what happens', async () => {
    const { world, new1, web1 } = await aFleet();
    await counted(world);
    await operate(world, 'accept', { systems: [new1.fp], tags: ['late'] });
    await operate(world, 'ban', { systems: [web1.fp] });
    const { counts } = await counted(world);

    expect(counts?.systems).toEqual({ new: 1, onboarded: 1, orphan: 1, deleted: 2, held: 1, silent: 0 });
    expect(counts?.tags.values.map(({ value }) => value)).toEqual(['late', 'prod']);
  });

  it('names the 50 most frequent tags, and how many more there are', async () => {
    const { world, web1, new1 } = await aFleet();
    await operate(world, 'accept', { systems: [new1.fp] });
    const tags = (from: number) => Array.from({ length: 30 }, (_, n) => `tag${from + n}`);
    await operate(world, 'edit', { systems: [web1.fp], tags: { add: tags(100) } });
    await operate(world, 'edit', { systems: [new1.fp], tags: { add: tags(200) } });
    const { counts } = await counted(world);

    expect(counts?.tags.values).toHaveLength(50);
    expect(counts?.tags.values[0]).toEqual({ value: 'prod', count: 2 });
    expect(counts?.tags.more).toBe(12);
  });

  it('counts hosts that wait to be nodes', async () => {
    const world = await stepped({ admits: 'nobody' });
    expect((await new Agent(world, 'node2.acme.org').join()).status).toBe(202);
    expect((await counted(world)).counts?.hosts).toEqual({ waiting: 1, askingBack: 0 });
  });

  it('counts for a caller who is limited to other zones nothing of this one', async () => {
    const { world } = await aFleet();
    await world.call('POST', '/api/v1/zones', { name: 'beta' });
    const key = await aKey(world.environment('admin'), rightsOf(['read'], ['beta' as ZoneName]));
    const { counts, zones } = await counted(world, showing(key.text));

    expect(counts?.systems).toEqual({ new: 0, onboarded: 0, orphan: 0, deleted: 0, held: 0, silent: 0 });
    expect(counts?.tags).toEqual({ values: [], more: 0 });
    expect(zones.map(({ name }) => name)).toEqual(['beta']);
  });

  it('has no counts, and reads no client system, where they are not asked for', async () => {
    const { world } = await aFleet();
    const { body } = await world.call('GET', '/api/v1/status');
    expect(world.environment('admin').caches.has('fleet')).toBe(false);
    expect(body).not.toHaveProperty('counts');
    expect((body as Status).zones[0]).not.toHaveProperty('systems');
  });

  it('reads half a unit a zone more while nothing changes', async () => {
    const { world } = await aFleet();
    const units = async (query: string): Promise<number> => {
      await world.call('GET', `/api/v1/status${query}`);
      const before = world.table.meter.readUnits;
      await world.call('GET', `/api/v1/status${query}`);
      return world.table.meter.readUnits - before;
    };
    await counted(world);
    expect((await units('?counts=yes')) - (await units(''))).toBeLessThanOrEqual(4);
  });
});
