import { beforeEach, describe, expect, it } from 'vitest';
import { hearsOf } from '../../../events/reported/hears.ts';
import type { ProcessTable } from '../../../events/reported/process.ts';
import { minuteMs } from '../../../lib/core/time.ts';
import { lapsesAt, type Stations } from '../../../lib/stations/stations.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { aStorageZone, type StorageZone } from '../../support/a-storage-zone.ts';

/** How often the agents of these tests beat. */
const beatMinMs = 10_000;
const stations = ['ts1.acme.org', 'ts2.acme.org', 'ts3.acme.org'];
let world: World;
let lab: StorageZone;
let secret: string;

beforeEach(async () => {
  world = await stepped();
  lab = await aStorageZone(world);
  const { body } = await world.call('POST', '/api/v1/node-tokens', { nodes: '*.acme.org', uses: 100, kind: 'storage', zone: 'lab' });
  ({ secret } = body as { secret: string });
});

const put = (hosts: readonly string[], more: object = {}) => lab.call('PUT', 'stations', { hosts, ...more });
const seen = async () => (await lab.call('GET', 'stations')).body as Record<string, never>;
const joined = async (fqdn: string): Promise<Agent> => {
  const agent = new Agent(world, fqdn);
  await agent.join({ kind: 'storage', zone: 'lab', token: secret });
  return agent;
};
const statusOf = async ({ fqdn }: Agent): Promise<string> =>
  ((await world.call('GET', `/api/v1/nodes/${fqdn}`)).body as { status: string }).status;
/** The services that run because of the stations: type, host and start of each. */
const own = async (): Promise<string[]> => {
  const { items } = (await lab.call('GET', 'services')).body as { items: { type: string; host: string; instance: string }[] };
  return items.map(({ type, host, instance }) => `${type} ${host} ${instance.slice(instance.indexOf('.'))}`).sort();
};
/** What they are doing: type, host and state of each. */
const states = async (): Promise<string[][]> => {
  const { items } = (await lab.call('GET', 'services')).body as { items: { type: string; host: string; state: string }[] };
  return items.map(({ type, host, state }) => [type, host, state]);
};
/** Stations that are up and beat, hearing those indexes. */
const up = async (hosts: readonly string[], heard: (host: string) => readonly number[] = () => [0, 1, 2, 3, 4]): Promise<Agent[]> => {
  const agents: Agent[] = [];
  for (const host of hosts) agents.push(await joined(host));
  for (let i = 0; i < 2; i++) {
    for (const agent of agents) await agent.up();
    await world.step(0);
  }
  for (const agent of agents) {
    await agent.up();
    await agent.say('node.ready');
    agent.hears = () => hearsOf(8, heard(agent.fqdn));
    agent.beats();
  }
  await world.step(minuteMs / 3);
  return agents;
};

/**
 * Stations of which the first coordinates and has fallen silent: its time has just run out, and no sweep has seen that.
 */
const overdue = async (): Promise<Agent[]> => {
  const agents = await up(stations);
  agents[0]!.fallSilent();
  const row = (await world.table.read({ pk: 'zone#lab', sk: 'stations' }))!.body as Stations;
  const lapses = lapsesAt(row.leases['ts1.acme.org']!);
  await world.step(lapses - world.now() - 1_000);
  world.sleep(2_000);
  return agents;
};

describe('the first hosts of a zone with stations', () => {
  it('wait until a majority of these is heard, and then there is one coordinator [story 11]', async () => {
    await put(stations);
    const [one, two, other] = [await joined('ts1.acme.org'), await joined('ts2.acme.org'), await joined('ssu1.acme.org')];
    for (const agent of [one, other]) expect((await agent.up()).status).toBe(202);
    await world.step(minuteMs / 6);
    expect([await statusOf(one), await statusOf(other)]).toEqual(['waiting', 'waiting']);
    expect(await seen()).toMatchObject({ quorum: { heard: 1, needed: 2, quorate: false }, epoch: 0 });
    const mero = (await lab.call('GET', 'mero')).body as { noQuorum: string };
    expect(mero.noQuorum).toContain('no quorum: 1 of 3 stations is heard, 2 are needed');

    for (const agent of [one, two, other]) await agent.up();
    await world.step(0);
    for (const agent of [one, two, other]) await agent.up();
    await world.step(0);
    expect([await statusOf(one), await statusOf(two), await statusOf(other)]).toEqual(['joining', 'joining', 'joining']);
    expect(await seen()).toMatchObject({ quorum: { quorate: true }, coordinator: { host: 'ts1.acme.org', epoch: 1 } });
    const history = (await world.call('GET', '/api/v1/zones/lab/stations')).body as { coordinator: { node: string } };
    expect(history.coordinator.node).toBe(one.id);
  });

  it('are acknowledged at once where no station is named, or none is any more', async () => {
    const agent = await joined('ssu1.acme.org');
    await agent.up();
    await world.step(0);
    expect(await statusOf(agent)).toBe('joining');
  });
});

describe('naming stations', () => {
  it('again says that they are in the group, from whichever host it comes [story 12]', async () => {
    expect((await put(stations)).body).toMatchObject({ done: true, named: { by: 'operator' } });
    const again = (await put([...stations].reverse(), { self: true })).body;
    expect(again).toMatchObject({ done: false, because: 'they are in the group already', named: { by: 'operator' } });
  });

  it('otherwise is refused, by the difference, and by the majority that is missing', async () => {
    await put(stations);
    const other = [...stations.slice(1), 'ts4.acme.org'];
    expect(await put(other)).toMatchObject({
      status: 409,
      body: { type: 'urn:muster:problem:stations-differ', detail: expect.stringContaining('ts4.acme.org is new; ts1.acme.org is missing') },
    });
    expect(await put(other, { update: true })).toMatchObject({ status: 409, body: { type: 'urn:muster:problem:no-quorum' } });
    await up(stations);
    expect(await put(other, { update: true })).toMatchObject({ status: 200, body: { done: true } });
    await world.step(minuteMs);
    expect(await seen()).toMatchObject({ coordinator: { host: 'ts2.acme.org', epoch: 2 } });
    expect(await own()).toEqual([
      'recovery-coordinator ts2.acme.org .2',
      'recovery-supervisor ts2.acme.org .1',
      'recovery-supervisor ts3.acme.org .1',
    ]);
  });
});

describe('a host of another zone', () => {
  const elsewhere = async () => {
    await world.call('POST', '/api/v1/zones', { name: 'other' });
    const { body } = await world.call('POST', '/api/v1/node-tokens', { nodes: 'far.acme.org', kind: 'salt', zone: 'other' });
    const far = new Agent(world, 'far.acme.org');
    expect((await far.join({ token: (body as { secret: string }).secret })).status).toBe(201);
    return far;
  };

  it('is no station, whatever else is named with it; once it is removed there its name is free', async () => {
    const far = await elsewhere();
    expect(await put(['ts1.acme.org', far.fqdn])).toMatchObject({
      status: 409,
      body: {
        type: 'urn:muster:problem:refused',
        detail: 'far.acme.org is a node of another zone: as a station of zone lab it would never be heard',
      },
    });
    expect(await seen()).toMatchObject({ stations: [] });
    await world.call('POST', `/api/v1/nodes/${far.id}/remove`, {});
    expect(await put(['ts1.acme.org', far.fqdn])).toMatchObject({ status: 200, body: { done: true } });
  });
});

describe('stations of which no majority comes back', () => {
  const reset = () => lab.call('POST', 'stations/reset', {});

  it('are given up by hand: nothing waits for them, and others are named', async () => {
    await put(stations);
    const host = await joined('ssu1.acme.org');
    await host.up();
    await world.step(minuteMs / 6);
    expect(await statusOf(host)).toBe('waiting');
    expect(await put(['ssu1.acme.org'], { update: true })).toMatchObject({ status: 409 });

    expect(await reset()).toMatchObject({ status: 200, body: { done: true, stations: [], named: { by: 'reset' } } });
    expect(await reset()).toMatchObject({ status: 200, body: { done: false, because: 'the zone has no stations' } });
    await host.up();
    await world.step(0);
    expect(await statusOf(host)).toBe('joining');
    expect(await put(['ssu1.acme.org'])).toMatchObject({ status: 200, body: { done: true } });
  });

  it('leave who coordinated time to stop: another is elected once that acts no more', async () => {
    await put(stations);
    await up(stations);
    expect(await seen()).toMatchObject({ coordinator: { host: 'ts1.acme.org', epoch: 1 } });
    await reset();
    await put(['ts2.acme.org']);
    await world.step(minuteMs / 6);
    expect(await seen()).not.toHaveProperty('coordinator');
    await world.step(minuteMs);
    expect(await seen()).toMatchObject({ coordinator: { host: 'ts2.acme.org', epoch: 2 } });
  });

  it('are said to somebody while hosts call in, once they have had time to start', async () => {
    const said = () => world.logged.filter(({ code }) => code === 'stations.no-quorum').length;
    await put(stations);
    const host = await joined('ssu1.acme.org');
    await host.up();
    await world.step(minuteMs);
    expect(said()).toBe(0);
    await world.step(5 * minuteMs);
    await host.up();
    await world.step(0);
    expect(said()).toBeGreaterThan(0);
  });
});

describe('the stations of a zone', () => {
  it('have a history, and are explained by their last decision and by which of them are heard', async () => {
    await put(stations);
    expect(await world.call('GET', '/api/v1/history/stations/lab')).toMatchObject({ status: 200, body: { items: [] } });
    const agents = await up(stations);
    agents[2]!.fallSilent();
    await world.step(minuteMs);
    const { items } = (await world.call('GET', '/api/v1/history/stations/lab')).body as { items: { type: string; data: object }[] };
    expect(items).toMatchObject([{ type: 'station.quorate' }, { type: 'coordinator.elected', data: { host: 'ts1.acme.org', epoch: 1 } }]);
    expect((await world.call('GET', '/api/v1/explain/stations/lab')).body).toMatchObject({
      subject: 'the stations of zone lab',
      state: '2 of 3 stations are heard, 2 are needed; ts1.acme.org coordinates, epoch 1',
      because: expect.stringMatching(/ renewed its lease; 2 of 3 stations are heard, 2 are needed$/),
      also: [
        { subject: 'station ts1.acme.org', because: 'is heard', at: expect.any(String) },
        { subject: 'station ts2.acme.org', because: 'is heard', at: expect.any(String) },
        { subject: 'station ts3.acme.org', because: 'is not heard', at: expect.any(String) },
      ],
    });
  });

  it('are none in a zone that never named any, and unknown where there is no zone', async () => {
    expect((await world.call('GET', '/api/v1/explain/stations/lab')).body).toMatchObject({
      state: 'none are named',
      because: 'it never existed',
      also: [],
    });
    for (const asked of ['explain/stations', 'history/stations', 'explain/site-orders', 'history/site-orders'])
      expect(await world.call('GET', `/api/v1/${asked}/elsewhere`)).toMatchObject({
        status: 404,
        body: { type: 'urn:muster:problem:unknown-zone' },
      });
  });
});

describe('a station', () => {
  it('is told whom to look for, beats at least each 10 s, and its calls that are made again renew nothing', async () => {
    await put(stations);
    const [one] = await up(stations);
    const { body } = await one!.desired();
    expect(body).toMatchObject({ station: { leaseMs: 30_000, size: 3, pings: [{ index: 0 }, { index: 1 }, { index: 2 }] } });
    const beat = await one!.beat();
    expect((beat.body as { nextMs: number }).nextMs).toBeLessThanOrEqual(11_000);
    const other = await lab.host('ssu1.acme.org');
    expect((await other.desired()).body).not.toHaveProperty('station');
  });

  it('costs two more units at each second beat, and none else', async () => {
    await put(stations);
    await up(stations);
    const rev = async () => (await world.table.read({ pk: 'zone#lab', sk: 'stations' }))!.rev;
    const before = await rev();
    await world.step(2 * minuteMs);
    expect((await rev()) - before).toBeLessThanOrEqual(3 * 6 + 5);
  });
});

describe('what runs because of the stations', () => {
  it('is registered with the first word of each and with the election, and nobody orders it', async () => {
    await put(stations);
    await up(stations);
    expect(await own()).toEqual(['recovery-coordinator ts1.acme.org .1', ...stations.map((host) => `recovery-supervisor ${host} .1`)]);
    for (const order of ['start', 'stop'])
      expect(await lab.call('POST', `services/recovery-coordinator/${order}`, { node: 'ts1.acme.org' })).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('by Muster itself') },
      });
  });

  it('is told to its agent, which may act for as long as its word counts', async () => {
    await put(stations);
    const [one, two] = await up(stations);
    expect((await one!.desired()).body).toMatchObject({
      services: [
        { service: 'recovery-coordinator', goal: 'run', instance: expect.stringMatching(/\.1$/) },
        { service: 'recovery-supervisor', goal: 'run' },
      ],
    });
    expect((await one!.beat()).body).toMatchObject({ station: { epoch: 1, coordinates: true } });
    expect((await two!.beat()).body).toMatchObject({ station: { epoch: 1, coordinates: false } });
    const { station } = (await one!.beat()).body as { station: { leaseMs: number } };
    expect(station.leaseMs).toBeLessThanOrEqual(30_000);
    expect(station.leaseMs).toBeGreaterThan(17_000);
  });

  it('is one that coordinates at the most, and none without a majority', async () => {
    await put(stations);
    const [, two, three] = await up(stations);
    two!.fallSilent();
    three!.fallSilent();
    await world.step(minuteMs);
    expect(await own()).toEqual(stations.map((host) => `recovery-supervisor ${host} .1`));
    two!.beats();
    await two!.up();
    await world.step(minuteMs / 3);
    expect(await own()).toContain('recovery-coordinator ts1.acme.org .2');
  });

  it('is gone with the set, and begins anew on a host that was given up and is back', async () => {
    await put(stations);
    const [one] = await up(stations);
    await world.call('POST', `/api/v1/nodes/${one!.fqdn}/drop`, {});
    await world.step(minuteMs);
    expect(await own()).toEqual([
      'recovery-coordinator ts2.acme.org .2',
      'recovery-supervisor ts2.acme.org .1',
      'recovery-supervisor ts3.acme.org .1',
    ]);
    await put([], { update: true });
    expect(await own()).toEqual([]);
  });

  it('goes on under the same epoch where its agent was killed and is back, and under the next where it does not run any more [story 10]', async () => {
    await put(stations);
    const [one] = await up(stations);
    const told = ((await one!.desired()).body as { services: { service: string; instance: string }[] }).services;
    const services = told.map(({ service, instance }) => ({ service, instance, pid: 1, born: `unit.${instance}`, state: 'online' }));
    const runs = { hash: 'all', processes: [], services } as unknown as ProcessTable;
    const says = async (type: string, data: object, seq: number) => {
      const word = { id: `word-${seq}`, type, version: 1, incarnation: one!.incarnation, seq, data };
      await one!.call('POST', `/nodes/${one!.id}/events`, [word]);
    };
    for (const [n, { service, instance, pid, born }] of services.entries())
      await says('service.started', { service, instance, pid, born }, n + 1);
    one!.processes = { table: () => runs, tells: () => says('node.table', runs, 3) };
    await world.step(minuteMs / 3);
    expect(await states()).toContainEqual(['recovery-coordinator', 'ts1.acme.org', 'online']);
    const back = async (boot: number) => {
      one!.boot = boot;
      for (const status of [202, 200]) {
        expect(await one!.up()).toMatchObject({ status });
        await world.step(0);
      }
      await one!.beat();
      one!.beats();
      await world.step(minuteMs);
    };
    one!.fallSilent();
    await world.step(15_000);
    await back(2);
    expect(await seen()).toMatchObject({ coordinator: { host: 'ts1.acme.org', epoch: 1 } });
    expect(await states()).toContainEqual(['recovery-coordinator', 'ts1.acme.org', 'online']);
    one!.fallSilent();
    one!.processes = { table: () => ({ hash: 'none', processes: [] }), tells: async () => undefined };
    await back(3);
    expect(await own()).toContain('recovery-coordinator ts1.acme.org .2');
    expect(await seen()).toMatchObject({ coordinator: { host: 'ts1.acme.org', epoch: 2 } });
  });

  it('is started again under an epoch of its own where it has failed', async () => {
    await put(stations);
    const [one] = await up(stations);
    const { body } = await one!.desired();
    const [{ service, instance }] = (body as { services: [{ service: string; instance: string }] }).services;
    const failed = {
      id: 'f1',
      type: 'service.failed',
      version: 1,
      incarnation: one!.incarnation,
      seq: 1,
      data: { service, instance, reason: 'it ended' },
    };
    await one!.call('POST', `/nodes/${one!.id}/events`, [failed]);
    await world.step(10_000);
    expect(await own()).toContain('recovery-coordinator ts1.acme.org .2');
    expect(await seen()).toMatchObject({ epoch: 2, coordinator: { host: 'ts1.acme.org', epoch: 2 } });
  });

  it('goes to another station where it has failed for good, and stays where it is while nobody else is able', async () => {
    await put(stations);
    const agents = await up(stations);
    const failsForGood = async (agent: Agent): Promise<void> => {
      for (let n = 1; n <= 6; n++) {
        const { services } = (await agent.desired()).body as { services: { service: string; instance: string }[] };
        const { service, instance } = services.find((one) => one.service === 'recovery-coordinator')!;
        const data = { service, instance, reason: 'this agent does not know how to run it' };
        const word = { id: `${agent.fqdn}-f${n}`, type: 'service.failed', version: 1, incarnation: agent.incarnation, seq: n, data };
        await agent.call('POST', `/nodes/${agent.id}/events`, [word]);
        await world.step(10_000);
      }
      await world.step(minuteMs);
    };
    const coordinators = async () => (await own()).filter((one) => one.startsWith('recovery-coordinator'));
    await failsForGood(agents[0]!);
    expect(await coordinators()).toEqual(['recovery-coordinator ts2.acme.org .7']);
    expect(await seen()).toMatchObject({ coordinator: { host: 'ts2.acme.org', epoch: 7 } });
    expect((await world.call('GET', '/api/v1/explain/stations/lab')).body).toMatchObject({
      also: [{ because: expect.stringContaining('has failed there for good') }, { because: 'is heard' }, { because: 'is heard' }],
    });
    await failsForGood(agents[1]!);
    await failsForGood(agents[2]!);
    expect(await coordinators()).toEqual(['recovery-coordinator ts3.acme.org .18']);
    await world.step(10 * minuteMs);
    expect(await states()).toContainEqual(['recovery-coordinator', 'ts3.acme.org', 'failed']);
    const { items } = (await world.call('GET', '/api/v1/history/stations/lab')).body as {
      items: { type: string; data: { by?: string } }[];
    };
    expect(items.flatMap(({ data }) => data.by ?? [])).toEqual(['failed', 'failed']);
  });
});

describe('a coordinator that is heard no more', () => {
  it('is followed by another after the lease and a tenth of it, under a higher epoch [stories 7, 8]', async () => {
    await put(stations);
    const [one] = await up(stations);
    one!.fallSilent();
    await world.step(10_000);
    expect(await seen()).toMatchObject({ coordinator: { host: 'ts1.acme.org', epoch: 1 } });
    await world.step(minuteMs / 2);
    expect(await seen()).toMatchObject({ coordinator: { host: 'ts2.acme.org', epoch: 2 } });
  });

  it('is followed with the next word of another, without a sweep; that one hears it in its answer', async () => {
    await put(stations);
    const [one, two] = await overdue();
    expect(await seen()).toMatchObject({ coordinator: { host: 'ts1.acme.org', epoch: 1 } });
    expect((await two!.beat()).body).toMatchObject({ station: { epoch: 2, coordinates: true } });
    expect(await seen()).toMatchObject({ coordinator: { host: 'ts2.acme.org', epoch: 2 } });
    await one!.up();
    expect((await one!.beat()).body).toMatchObject({ station: { epoch: 2, coordinates: false } });
  });

  it('is followed by nobody where it may be us who did not hear, as long as no sweep and no grace has told', async () => {
    await put(stations);
    const [, two, three] = await overdue();
    world.sleep(minuteMs);
    for (const agent of [two!, three!]) expect((await agent.beat()).body).toMatchObject({ station: { epoch: 1, coordinates: false } });
    await world.step(2 * beatMinMs);
    for (const agent of [two!, three!]) expect((await agent.beat()).body).toMatchObject({ station: { epoch: 1 } });
    expect(await seen()).toMatchObject({ coordinator: { host: 'ts1.acme.org', epoch: 1 } });
    await world.step(minuteMs);
    expect(await seen()).toMatchObject({ coordinator: { host: 'ts2.acme.org', epoch: 2 } });
  });

  it('is followed by nobody where no majority is left [story 9]; known nodes go on, first ones wait, levels stay', async () => {
    await put(stations);
    const [one, two, three] = await up(stations);
    two!.fallSilent();
    three!.fallSilent();
    await world.step(minuteMs);
    expect(await seen()).toMatchObject({ quorum: { heard: 1, quorate: false }, epoch: 1 });
    expect(await seen()).not.toHaveProperty('coordinator');
    expect((await one!.beat()).status).toBe(200);
    one!.boot = 2;
    await one!.up();
    await world.step(0);
    expect((await one!.up()).status).toBe(200);
    const fresh = await joined('ssu7.acme.org');
    await fresh.up();
    await world.step(minuteMs);
    expect(await statusOf(fresh)).toBe('waiting');
    expect([await statusOf(two!), await statusOf(three!)]).toEqual(['suspect', 'suspect']);
  });

  it('is there again by itself after everything was off [story 13]', async () => {
    await put(stations);
    const agents = await up(stations);
    for (const agent of agents) agent.fallSilent();
    await world.step(5 * minuteMs);
    expect(await seen()).not.toHaveProperty('coordinator');
    for (const agent of agents) {
      agent.boot = 2;
      await agent.up();
    }
    await world.step(0);
    for (const agent of agents) {
      await agent.up();
      agent.beats();
    }
    await world.step(minuteMs / 3);
    expect(await seen()).toMatchObject({ coordinator: { host: 'ts1.acme.org', epoch: 2 } });
  });
});

describe('a host that is silent', () => {
  it('stays suspect while a majority of the stations hears it, and is down once they do not', async () => {
    await put(stations);
    let hears = true;
    await up(stations, () => (hears ? [0, 1, 2, 3] : [0, 1, 2]));
    const other = await lab.host('ssu1.acme.org');
    await world.step(minuteMs / 3);
    other.fallSilent();
    await world.step(5 * minuteMs);
    expect(await statusOf(other)).toBe('suspect');
    const explained = (await world.call('GET', `/api/v1/explain/node/${other.fqdn}`)).body as { because: string };
    expect(explained.because).toContain(
      `held suspect by the stations of zone lab: 3 of 3 hear it (${stations.join(', ')}), so its path to Muster is at fault`,
    );
    hears = false;
    await world.step(minuteMs);
    expect(await statusOf(other)).toBe('down');
  });
});
