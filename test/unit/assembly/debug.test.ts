import { beforeEach, describe, expect, it } from 'vitest';
import { wiring } from '../../../infra/wiring.ts';
import { rules } from '../../../lib/assembly/debug/queues.ts';
import type { NodeDebug, RuleView, ZoneDebug } from '../../../lib/assembly/debug/routes.ts';
import { minuteMs } from '../../../lib/core/time.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { countsHandled, noteHandled } from '../../../lib/runtime/handled.ts';
import { siteOrdersRef } from '../../../lib/stations/site-orders/site-orders.ts';
import { aRow } from '../../../tools/support/a-row.ts';
import type { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { aStorageZone, type StorageZone } from '../../support/a-storage-zone.ts';
import { Serving } from '../../support/serving.ts';

let world: World;
let lab: StorageZone;
let ssu1: Agent;
beforeEach(async () => {
  world = await stepped();
  lab = await aStorageZone(world);
  ssu1 = await lab.host('ssu1.acme.org');
});

const ask = async <T>(path: string): Promise<T> => {
  const { status, body } = await world.call('GET', `/api/v1/${path}`);
  expect(status).toBe(200);
  return body as T;
};
const checkOf = async (type: string) => (await ask<{ items: RuleView[] }>('rules')).items.find((one) => one.type === type)!.check;
const due = (path = 'zones/lab/debug') => ask<ZoneDebug>(path);

describe('the queues', () => {
  it('are shown with how many messages wait, and how old the oldest is', async () => {
    await world.queue.send('reports', '{}');
    world.sleep(3 * minuteMs);
    await world.queue.send('reports', '{}');
    const { queues, deadLetters } = await ask<{ queues: object[]; deadLetters: number }>('queues');
    expect(queues).toContainEqual({
      queue: 'reports',
      messages: 2,
      oldestSentAt: new Date(world.now() - 3 * minuteMs).toISOString(),
      oldestAgeMs: 3 * minuteMs,
    });
    expect(queues).toContainEqual({ queue: 'heartbeats', messages: 0 });
    expect(deadLetters).toBe(0);
  });

  it('are shown with the dead letters', async () => {
    await world.queue.sendFromBus('reports', 'nonsense');
    await world.step(0);
    expect(await ask('queues')).toMatchObject({ deadLetters: 1 });
  });
});

describe('the consumers of Muster itself', () => {
  it('are all that the wiring has', async () => {
    const consumers = Object.entries(wiring.functions).flatMap(([name, fn]) => ('routes' in fn ? [] : [name]));
    expect(rules.map(({ name }) => name).sort()).toEqual(consumers.sort());
    for (const { queue } of rules) if (queue) expect(Object.keys(wiring.queues)).toContain(queue);
  });

  it('are well while the sweep runs, and nothing waits or has died', async () => {
    await world.step(minuteMs);
    const { items } = await ask<{ items: RuleView[] }>('rules');
    expect(items.map(({ type, check }) => [type, check.exit])).toEqual(rules.map(({ name }) => [`rule-${name}`, 0]));
    expect(items[2]!.check.says).toEqual(['the last sweep began 0 s ago (limit 30 s)', 'no dead letters']);
  });

  it('are not well when messages wait for too long, by the limit of each', async () => {
    await world.queue.send('reports', '{}');
    await world.queue.send('webhooks', '{}');
    world.sleep(minuteMs);
    expect((await checkOf('rule-reports')).exit).toBe(0);
    world.sleep(1_000);
    expect(await checkOf('rule-reports')).toEqual({
      exit: 1,
      says: ['1 messages, the oldest 61 s old (limit 60 s)', 'no dead letters'],
    });
    expect((await checkOf('rule-webhooks')).exit).toBe(0);
  });

  it('are not well when the sweep does not run', async () => {
    await world.step(minuteMs);
    world.sleep(31_000);
    expect(await checkOf('rule-sweep')).toMatchObject({
      exit: 1,
      says: ['the last sweep began 31 s ago (limit 30 s)', 'no dead letters'],
    });
  });

  it('are not well when messages of theirs have died; the others are', async () => {
    await world.queue.sendFromBus('reports', 'nonsense');
    await world.step(0);
    expect(await checkOf('rule-reports')).toMatchObject({ exit: 1, says: [expect.any(String), '1 dead letters: list them with dlq ls'] });
    expect((await checkOf('rule-heartbeats')).exit).toBe(0);
  });

  it('are counted where they run in one process with the door', async () => {
    const shell = world.environment('admin');
    expect((await ask<{ items: RuleView[] }>('rules')).items[0]).not.toHaveProperty('counted');
    const { since } = countsHandled(shell);
    noteHandled(shell, 'heartbeats', 3, 1);
    noteHandled(shell, 'heartbeats', 2);
    const [heartbeats, reports] = (await ask<{ items: RuleView[] }>('rules')).items;
    const at = new Date(since).toISOString();
    expect(heartbeats!.counted).toEqual({ since: at, handled: 5, failed: 1, lastAt: at });
    expect(reports!.counted).toEqual({ since: at, handled: 0, failed: 0 });
  });
});

describe('what coordinates a zone', () => {
  it('is shown with its sweep, what is due, what goes on, and the last conclusions', async () => {
    await lab.call('PUT', 'stations', { hosts: ['ssu1.acme.org'] });
    ssu1.beats();
    await world.step(minuteMs);
    const shown = await due();
    expect(shown).toMatchObject({
      zone: 'lab',
      sweep: { everyMs: 5_000, lateMs: 0 },
      jobs: [],
      stations: { quorum: { heard: 1, needed: 1 }, coordinator: { host: 'ssu1.acme.org', epoch: 1 } },
      due: { more: false },
    });
    expect(shown.decisions.map(({ type, about }) => `${about} ${type}`)).toContain('stations coordinator.elected');
    const times = shown.decisions.map(({ at }) => at);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('says how late the sweep is, and what waits for it', async () => {
    await world.step(minuteMs);
    world.sleep(10 * minuteMs);
    const shown = await due();
    expect(shown.sweep.lateMs).toBeGreaterThanOrEqual(9 * minuteMs);
    expect(shown.due!.rows).toBeGreaterThan(0);
    expect(shown.due!.byNoun).toHaveProperty('node');
  });

  it('says which nodes are on their way', async () => {
    await world.call('POST', `/api/v1/nodes/${ssu1.id}/leave`, {
      mode: 'hold',
      until: new Date(world.now() + 60 * minuteMs).toISOString(),
    });
    await world.step(10_000);
    expect((await due()).jobs).toEqual([{ job: 'node ssu1.acme.org', says: 'is away on purpose' }]);
  });

  it('says what is ordered on its site, and which loss is not over', async () => {
    const now = world.now();
    const order = {
      n: 4,
      does: 'power-cycle',
      host: 'ssu2.acme.org',
      by: 'rule',
      dryRun: false,
      node: ssu1.id,
      epoch: 3,
      at: now,
      until: now,
    };
    const orders = { zone: 'lab', bmcs: [], last: 4, waiting: [order], ended: [], cycled: [], wanted: [] };
    const key = keyOf({ noun: 'zone', id: 'lab' });
    const head = (await world.table.read(key))!;
    const lost = { index: 1, fqdn: 'ssu2.acme.org', since: now, clients: 7 };
    const recovering = [lost, { ...lost, fqdn: 'ssu3.acme.org', placedAt: now, until: now }];
    await world.table.commit([
      { put: aRow({ ...keyOf(siteOrdersRef('lab')), body: orders }), readRev: 0 },
      { put: { ...head, body: { ...(head.body as object), recovering } }, readRev: head.rev },
    ]);
    // What anybody has read of a zone is 5 s old at the most.
    world.sleep(6_000);
    const since = new Date(now).toISOString();
    expect((await due()).jobs).toEqual([
      { job: 'recovery of ssu2.acme.org', says: 'about 7 client systems, whose slots do not all have a node yet', since },
      { job: 'recovery of ssu3.acme.org', says: `about 7 client systems are assigned their node in turn, the last at ${since}`, since },
      { job: 'order 4', says: 'ssu2.acme.org is power-cycled, under epoch 3', since },
    ]);
  });

  it('tells of a zone that there is', async () => {
    expect((await world.call('GET', '/api/v1/zones/nowhere/debug')).status).toBe(404);
  });
});

describe('what a node was told and has said', () => {
  it('is what its agent is answered, and what its row has', async () => {
    await world.call('PUT', '/api/v1/zones/lab/service-types/echo', { start: ['echo'] });
    await world.call('POST', '/api/v1/zones/lab/services/echo/start', { node: ssu1.id });
    const shown = await ask<NodeDebug>(`nodes/ssu1.acme.org/debug`);
    const asked = await ssu1.call('GET', `/nodes/${ssu1.id}/desired`);
    expect(asked.headers['etag']).toBe(`"${shown.told.revision}"`);
    expect(shown).toMatchObject({
      node: ssu1.id,
      host: 'ssu1.acme.org',
      zone: 'lab',
      status: 'up',
      told: { processes: [], services: [{ service: 'echo', goal: 'run', asks: 0 }] },
      said: { services: [{ service: 'echo', state: 'starting' }] },
    });
  });

  it('says whom its supervisor watches', async () => {
    const ssu2 = await lab.host('ssu2.acme.org');
    const servings = [ssu1, ssu2].map((agent) => new Serving(agent));
    for (const [n, agent] of [ssu1, ssu2].entries()) agent.processes = servings[n]!;
    for (const { id } of [ssu1, ssu2]) await world.call('POST', '/api/v1/zones/lab/services/supervisor/start', { node: id });
    await world.step(0);
    for (const serving of servings) await serving.obey();
    await world.step(10_000);
    const { told } = await ask<NodeDebug>('nodes/ssu1.acme.org/debug');
    expect(told.watches).toEqual([{ host: 'ssu2.acme.org', supervisor: true }]);
  });

  it('is of a node that there is', async () => {
    expect((await world.call('GET', '/api/v1/nodes/nobody.acme.org/debug')).status).toBe(404);
  });
});
