import { describe, expect, it } from 'vitest';
import { minuteMs } from '../../../../lib/core/time.ts';
import { Agent, Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

type Result = { readonly fp: string; readonly done: boolean; readonly full?: true; readonly because: string };

/** A deployment that counts often, with a node that declares 100, so that its zone takes 97. */
async function declared(capacity = 100): Promise<World> {
  const world = await stepped({ countEveryMs: 10_000, zoneMaxAgeMs: 0 });
  await new Agent(world, 'node1.acme.org').start({ capacity });
  await world.step(minuteMs);
  return world;
}

async function knocking(world: World, count: number, from = 0): Promise<Daemon[]> {
  const webs = Array.from({ length: count }, (_, n) => new Daemon(world, `web${from + n}.acme.org`));
  for (const web of webs) await web.knock();
  return webs;
}

const accept = async (world: World, webs: readonly Daemon[]): Promise<Result[]> =>
  ((await world.call('POST', '/api/v1/systems/accept', { systems: webs.map(({ fp }) => fp) })).body as { results: Result[] }).results;
const zone = async (world: World) => (await world.call('GET', '/api/v1/zones/default')).body as Record<string, unknown>;

describe('a zone whose nodes declare what they can bear', () => {
  it('takes 97 % of it and refuses the rest, each by itself, within one call and before anybody is counted', async () => {
    const world = await declared();
    const webs = await knocking(world, 100);

    const results = await accept(world, webs);

    expect(results.filter(({ done }) => done)).toHaveLength(97);
    expect(results.filter(({ full }) => full)).toEqual(
      Array.from({ length: 3 }, () => ({
        fp: expect.any(String),
        done: false,
        full: true,
        because: 'zone default is full: it has about 97 client systems, and its nodes take 97, 97 % of the 100 that they declare',
      })),
    );
    await world.step(minuteMs);
    expect(await zone(world)).toMatchObject({ systemsAbout: 97, capacity: { declared: 100, clientsMax: 97, filled: 97 } });
  });

  it('still answers for those that it has, and takes more once its nodes declare more, or others come', async () => {
    const world = await declared(10);
    const webs = await knocking(world, 14);
    await accept(world, webs.slice(0, 10));

    expect(await accept(world, webs.slice(0, 1))).toEqual([
      { fp: webs[0]!.fp, done: false, because: 'already accepted into zone default' },
    ]);
    await world.call('PATCH', '/api/v1/nodes/node1.acme.org', { capacity: 12 });
    await world.step(minuteMs);
    expect((await accept(world, webs.slice(9, 13))).map(({ done, full }) => [done, full])).toEqual([
      [true, undefined],
      [true, undefined],
      [false, true],
      [false, true],
    ]);
    await new Agent(world, 'node2.acme.org').start({ capacity: 2 });
    await world.step(minuteMs);
    expect((await accept(world, webs.slice(11))).map(({ done }) => done)).toEqual([true, false, false]);
  });

  it('takes any number while one node declares nothing', async () => {
    const world = await declared(10);
    await new Agent(world, 'node2.acme.org').start();
    await world.step(minuteMs);
    expect((await accept(world, await knocking(world, 20))).every(({ done }) => done)).toBe(true);
    expect(await zone(world)).not.toHaveProperty('capacity');
  });

  it('takes nobody by an onboarding token either, who waits in the pool then and knows why; its token is not used up', async () => {
    const world = await declared(2);
    await accept(world, await knocking(world, 1));
    // Counted, because the door that machines knock at does not know what the other accepts.
    await world.step(minuteMs);
    const made = (await world.call('POST', '/api/v1/onboarding-tokens', { uses: 5 })).body as { secret: string };
    const late = new Daemon(world, 'late.acme.org');

    expect((await late.knock({ token: made.secret })).body).toBe('0');

    expect((await world.call('GET', `/api/v1/systems/${late.fp}`)).body).toMatchObject({
      because: expect.stringContaining('its onboarding token was refused: zone default is full'),
    });
    expect((await world.call('GET', '/api/v1/onboarding-tokens')).body).toMatchObject({ items: [{ used: 0 }] });
    await world.call('PATCH', '/api/v1/nodes/node1.acme.org', { capacity: 10 });
    await world.step(minuteMs);
    expect((await late.knock({ token: made.secret })).body).toBe('2');
  });
});

describe('a node that is lost where no other has room', () => {
  it('has its client systems wait for room; the zone, the node and each of them say why', async () => {
    const world = await declared(100);
    const second = await new Agent(world, 'node2.acme.org').start({ capacity: 100 });
    await world.step(minuteMs);
    const webs = await knocking(world, 150);
    await accept(world, webs);
    for (const web of webs) await web.knock();
    await world.step(minuteMs);

    second.fallSilent();
    await world.step(3 * minuteMs);

    const shown = (await zone(world)) as { crowded: { slots: number; systemsAbout: number }; map: { nodes: { systemsAbout: number }[] } };
    expect(shown.map.nodes[0]!.systemsAbout).toBe(97);
    expect(shown.crowded.systemsAbout).toBe(150 - 97);
    const explained = async (path: string) =>
      ((await world.call('GET', `/api/v1/explain/${path}`)).body as { also: { subject: string; because: string }[] }).also;
    expect(await explained('zone/default')).toContainEqual(
      expect.objectContaining({
        subject: 'the capacity of zone default',
        because: expect.stringContaining('rule 15: no node has room for'),
      }),
    );
    expect(await explained('node/node2.acme.org')).toContainEqual(expect.objectContaining({ subject: 'its slots' }));
    const answers = await Promise.all(webs.map((web) => web.orphan()));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(150 - 97);
    const waiting = webs[answers.findIndex(({ status }) => status === 204)]!;
    expect(await explained(`system/${waiting.fp}`)).toContainEqual(expect.objectContaining({ subject: 'its slot' }));

    await new Agent(world, 'node3.acme.org').start({ capacity: 200 });
    await world.step(10 * minuteMs);

    expect(await zone(world)).not.toHaveProperty('crowded');
    for (const web of webs) expect((await web.orphan()).status).toBe(200);
  });
});
