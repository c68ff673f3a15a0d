import { beforeEach, describe, expect, it } from 'vitest';
import { hearsOf } from '../../../../events/reported/hears.ts';
import type { ZoneName } from '../../../../lib/core/ids.ts';
import { minuteMs } from '../../../../lib/core/time.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { type SiteOrders, siteOrdersRef } from '../../../../lib/stations/site-orders/site-orders.ts';
import { aRow } from '../../../../tools/support/a-row.ts';
import { fabricatedFacts } from '../../../../tools/support/facts/fabricated.ts';
import { goodFacts, load } from '../../../../tools/support/loading.ts';
import { Agent } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { aStorageZone, type StorageZone } from '../../../support/a-storage-zone.ts';

const stations = ['ts1.acme.org', 'ts2.acme.org', 'ts3.acme.org'];
const host = 'ssu1.acme.org';
/** What a zone named before its stations did. */
const command = ['ipmitool', '-H', '{bmc}', '-U', '{user}', '-f', '{passwordFile}', 'chassis', 'power', 'cycle'];
const bmcs = [host, 'ssu2.acme.org', ...stations].map((name) => ({
  host: name,
  address: '192.0.2.7',
  user: 'admin',
  secret: `bmc/${name}`,
}));
let world: World;
let lab: StorageZone;
let secret: string;
let agents: Agent[];
const seqs = new Map<string, number>();

beforeEach(async () => {
  world = await stepped();
  lab = await aStorageZone(world);
  seqs.clear();
  const { body } = await world.call('POST', '/api/v1/node-tokens', { nodes: '*.acme.org', uses: 100, kind: 'storage', zone: 'lab' });
  ({ secret } = body as { secret: string });
  await lab.call('PUT', 'stations', { hosts: stations });
  agents = [];
  for (const name of stations) agents.push(await joined(name));
  for (let i = 0; i < 2; i++) {
    for (const agent of agents) await agent.up();
    await world.step(0);
  }
  for (const agent of agents) {
    await agent.up();
    await agent.say('node.ready');
    agent.hears = () => hearsOf(8, [0, 1, 2]);
    agent.beats();
  }
  await world.step(minuteMs / 3);
});

async function joined(fqdn: string): Promise<Agent> {
  const agent = new Agent(world, fqdn);
  await agent.join({ kind: 'storage', zone: 'lab', token: secret });
  return agent;
}

type Told = { service: string; instance: string; asks: { id: string; message: string; data: string }[] };
/** What the agent of a station is told to do on site. */
const told = async (agent: Agent): Promise<Told | undefined> =>
  ((await agent.desired()).body as { services: Told[] }).services.find(({ service }) => service === 'recovery-coordinator');
/** A word of an agent about its recovery-coordinator. */
async function says(agent: Agent, type: string, data: object = {}, instance?: string): Promise<void> {
  const seq = (seqs.get(agent.fqdn) ?? 0) + 1;
  seqs.set(agent.fqdn, seq);
  const of = instance ?? (await told(agent))!.instance;
  const word = {
    id: `${agent.fqdn}-w${seq}`,
    type,
    version: 1,
    incarnation: agent.incarnation,
    seq,
    data: { service: 'recovery-coordinator', instance: of, ...data },
  };
  expect((await agent.call('POST', `/nodes/${agent.id}/events`, [word])).status).toBe(202);
  await world.step(1_000);
}
const answers = (agent: Agent, n: number, exit: number | undefined, text: string, instance?: string) =>
  says(
    agent,
    'service.answered',
    { ask: `site-order-${n}`, what: 'message', message: 'power-cycle', ...(exit !== undefined && { exit }), says: text },
    instance,
  );
const power = (more: object = {}) => lab.call('PATCH', 'stations/power', { bmcs, ...more });
const order = (more: object = {}) => lab.call('POST', 'stations/orders', { host, ...more });
const seen = async () => (await lab.call('GET', 'stations/orders')).body as { items: Record<string, unknown>[]; wanted: object[] };
const problem = (type: string, detail: string) => ({
  body: { type: `urn:muster:problem:${type}`, detail: expect.stringContaining(detail) },
});
/** What was published of orders, in order. */
const published = () =>
  world.table.feed.flatMap(({ row }) => row.events).flatMap(({ type }) => (type.startsWith('site-order.') ? [type] : []));

describe('an order on site', () => {
  it('is refused before somebody has said how, while the coordinator is not ready, and where nobody knows the BMC', async () => {
    expect(await order()).toMatchObject(problem('refused', 'power cycles of the zone are not configured'));
    await power();
    expect(await order()).toMatchObject(problem('not-yet', 'recovery-coordinator is starting on ts1.acme.org'));
    await says(agents[0]!, 'service.started');
    expect(await order({ host: 'ssu9.acme.org' })).toMatchObject(problem('refused', 'the BMC of ssu9.acme.org is unknown'));
    expect((await power()).body).toMatchObject({ done: false, because: 'the settings are unchanged' });
  });

  it('goes to the coordinator alone, under its epoch, with everything but the password; its answer ends it', async () => {
    await power();
    await says(agents[0]!, 'service.started');
    expect(await order()).toMatchObject({ status: 202, body: { order: 1, epoch: 1, state: 'waiting', coordinator: agents[0]!.id } });
    expect(await told(agents[1]!)).toBeUndefined();
    const { asks } = (await told(agents[0]!))!;
    expect(asks).toMatchObject([{ id: 'site-order-1', message: 'power-cycle' }]);
    expect(JSON.parse(asks[0]!.data)).toEqual({
      order: 1,
      epoch: 1,
      host,
      dryRun: false,
      bmc: '192.0.2.7',
      user: 'admin',
      secret: `bmc/${host}`,
    });
    await answers(agents[0]!, 1, 0, 'Chassis Power Control: Cycle');
    expect((await seen()).items).toMatchObject([{ order: 1, state: 'done', exit: 0, says: 'Chassis Power Control: Cycle' }]);
    expect((await told(agents[0]!))!.asks).toEqual([]);
    expect(published()).toEqual(['site-order.ordered', 'site-order.done']);
  });

  it('is explained while it waits, and its history told once it is over', async () => {
    await power();
    await says(agents[0]!, 'service.started');
    await order();
    expect((await world.call('GET', '/api/v1/explain/site-orders/lab')).body).toMatchObject({
      subject: 'the orders on the site of zone lab',
      state: '1 was given, 1 waits',
      also: [{ subject: 'the rule' }, { subject: 'order 1', because: `${host} is power-cycled, under epoch 1` }],
    });
    await answers(agents[0]!, 1, 0, 'Chassis Power Control: Cycle');
    await world.step(minuteMs);
    expect((await world.call('GET', '/api/v1/history/site-orders/lab')).body).toMatchObject({
      items: [
        { seq: 1, type: 'site-order.ordered', data: { host } },
        { seq: 2, type: 'site-order.done', data: { exit: 0 } },
      ],
    });
  });

  it('is braked: one host of a zone at once, each once in ten minutes, half of the hosts within an hour; a dry run is not', async () => {
    await power();
    await says(agents[0]!, 'service.started');
    await order();
    expect(await order({ host: 'ssu2.acme.org' })).toMatchObject(problem('not-yet', 'one host of a zone at once'));
    expect((await order({ dryRun: true })).status).toBe(202);
    await answers(agents[0]!, 1, 0, '');
    await answers(agents[0]!, 2, 0, 'would run ipmitool');
    expect(await order()).toMatchObject(problem('not-yet', 'once in 10 min'));
    expect(await order({ host: 'ssu2.acme.org' })).toMatchObject(
      problem('not-yet', '1 hosts were power-cycled within the hour: at most 1 of 3 may be'),
    );
    await world.step(61 * minuteMs);
    expect((await order()).status).toBe(202);
  });

  it('is refused by an agent that must not, and then was none: it may be ordered again', async () => {
    await power();
    await says(agents[0]!, 'service.started');
    await order();
    await answers(agents[0]!, 1, 77, 'it is of epoch 1, and 2 is known here');
    expect((await seen()).items[0]).toMatchObject({ state: 'refused', says: 'it is of epoch 1, and 2 is known here' });
    expect((await order()).status).toBe(202);
  });

  it('is told to have run perhaps where its agent was killed meanwhile, or says nothing in time, and is never handed on', async () => {
    await power();
    await says(agents[0]!, 'service.started');
    await order();
    await answers(agents[0]!, 1, 75, 'its agent was started again meanwhile');
    expect((await seen()).items[0]).toMatchObject({ order: 1, state: 'unknown' });
    await world.step(61 * minuteMs);
    await order();
    const { instance } = (await told(agents[0]!))!;
    agents[0]!.fallSilent();
    await world.step(2 * minuteMs);
    expect((await told(agents[1]!))!.asks).toEqual([]);
    expect((await seen()).items[0]).toMatchObject({ order: 2, state: 'expired' });
    await answers(agents[1]!, 2, 0, 'not mine');
    expect((await seen()).items[0]).toMatchObject({ order: 2, state: 'expired' });
    expect(instance).toMatch(/\.1$/);
    expect(published()).toContain('site-order.expired');
  });

  it('is refused without a majority of the stations, and for a host that is heard unless by force', async () => {
    await power();
    await says(agents[0]!, 'service.started');
    expect(await order({ host: stations[1] })).toMatchObject(problem('refused', 'only with --force'));
    expect((await order({ host: stations[1], force: true, dryRun: true })).status).toBe(202);
    agents[1]!.fallSilent();
    agents[2]!.fallSilent();
    await world.step(minuteMs);
    expect(await order()).toMatchObject(problem('no-quorum', 'no quorum: 1 of 3 stations is heard'));
  });

  it('takes the BMC of the facts, where that is of one host alone', async () => {
    // Nine hosts: eight share an enclosure and its BMC, the ninth has one of its own.
    const { cut } = goodFacts(fabricatedFacts({ servers: 9, devicesEach: 2 }));
    await load(world.environment('admin'), 'lab' as ZoneName, cut);
    await power({ bmcs: [] });
    await says(agents[0]!, 'service.started');
    expect(await order({ host: 'ssu1.storage.acme.org' })).toMatchObject(problem('refused', 'the BMC of ssu1.storage.acme.org is unknown'));
    expect((await order({ host: 'ssu9.storage.acme.org' })).status).toBe(202);
    const { asks } = (await told(agents[0]!))!;
    expect(JSON.parse(asks[0]!.data)).toMatchObject({
      bmc: '10.255.0.1',
      user: 'admin',
      secret: 'bmc/enclosure-0-1/0',
    });
  });

  it('names no command: one that somebody gives is refused, and one that was stored goes to agents of an older version alone', async () => {
    expect(await power({ command })).toMatchObject({ status: 409, ...problem('refused', 'a zone does not name the power program') });
    expect(await power()).toMatchObject({ status: 200, body: { power: { everyMs: 600_000, auto: 'off' } } });
    const key = keyOf(siteOrdersRef('lab'));
    const stored = (await world.table.read(key))!;
    const body = { ...(stored.body as SiteOrders), power: { command, everyMs: 600_000, auto: 'off' } };
    await world.table.commit([{ put: aRow({ ...key, body }), readRev: stored.rev }]);
    expect(await power({ auto: 'dry-run' })).toMatchObject({ body: { power: { command, everyMs: 600_000, auto: 'dry-run' } } });
    await says(agents[0]!, 'service.started');
    expect((await order()).status).toBe(202);
    expect(JSON.parse((await told(agents[0]!))!.asks[0]!.data)).toMatchObject({
      bmc: '192.0.2.7',
      user: 'admin',
      secret: `bmc/${host}`,
      command: ['ipmitool', '-H', '192.0.2.7', '-U', 'admin', '-f', '{passwordFile}', 'chassis', 'power', 'cycle'],
    });
  });

  it.each(['-f/etc/shadow', '{passwordFile}', '$(id)', 'a;b'])('takes no BMC at %s', async (address) => {
    const wrong = { host, address, user: 'admin', secret: 'bmc/x' };
    expect(await power({ bmcs: [wrong] })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/bmcs/0/address' }] } });
    expect(await power({ bmcs: [{ ...wrong, address: 'bmc1', user: address }] })).toMatchObject({ status: 422 });
  });

  it('is audited, with who gave it', async () => {
    await power();
    await says(agents[0]!, 'service.started');
    await order();
    await world.step(1_000);
    const { items } = (await world.call('GET', '/api/v1/audit?zone=lab')).body as { items: { because?: string; who?: string }[] };
    expect(items.map(({ because }) => because)).toContainEqual(expect.stringContaining(`${host} is power-cycled, order 1, under epoch 1`));
  });
});

describe('a host that is down, as a majority agrees', () => {
  it.each(['off', 'dry-run', 'on'] as const)('is power-cycled by the rule where that is %s, once', async (auto) => {
    await power({ auto });
    await says(agents[0]!, 'service.started');
    const other = await lab.host(host);
    await world.step(minuteMs / 3);
    other.fallSilent();
    for (const agent of agents) agent.hears = () => hearsOf(8, [0, 1, 2]);
    await world.step(2 * minuteMs);
    const { items } = await seen();
    if (auto === 'off') expect(items).toEqual([]);
    else expect(items).toMatchObject([{ order: 1, host, by: 'rule', dryRun: auto === 'dry-run' }]);
  });

  it('is so also where another was down before, whose BMC nobody knows', async () => {
    await power({ auto: 'on' });
    await says(agents[0]!, 'service.started');
    const others = [await lab.host('ssu7.acme.org'), await lab.host(host)];
    await world.step(minuteMs / 3);
    for (const other of others) {
      other.fallSilent();
      await world.step(10_000);
    }
    await world.step(2 * minuteMs);
    expect(await seen()).toMatchObject({ items: [{ order: 1, host, by: 'rule' }], wanted: [{ host: 'ssu7.acme.org' }] });
  });

  it('waits while it may not be, and not once it is back', async () => {
    await power({ auto: 'on' });
    const other = await lab.host(host);
    await world.step(minuteMs / 3);
    other.fallSilent();
    await world.step(2 * minuteMs);
    expect(await seen()).toMatchObject({ items: [], wanted: [{ host }] });
    other.boot = 2;
    await other.up();
    await world.step(minuteMs / 6);
    await other.up();
    other.beats();
    await world.step(2 * minuteMs);
    await says(agents[0]!, 'service.started');
    await world.step(2 * minuteMs);
    expect(await seen()).toMatchObject({ items: [], wanted: [] });
  });
});
