import { beforeEach, describe, expect, it } from 'vitest';
import type { Explanation } from '../../../lib/assembly/explain/routes.ts';
import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import type { Edge } from '../../../lib/graph/graph.ts';
import type { DesiredAnswer, DesiredSupervisor } from '../../../lib/nodes/desired/desired.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import type { Table } from '../../../lib/ports/table/table.ts';
import type { Service } from '../../../lib/services/service.ts';
import type { ServiceView } from '../../../lib/services/view-routes.ts';
import type { WatchSet } from '../../../lib/services/watch-set.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { Serving } from '../../support/serving.ts';

const hosts = ['salt1.acme.org', 'salt2.acme.org', 'salt3.acme.org', 'salt4.acme.org'];

let world: World;
let agents: Agent[];
let servings: Serving[];

beforeEach(async () => {
  world = await stepped({ beatMinMs: 10_000, sweepPeriodMs: 5_000 });
  agents = [];
  for (const fqdn of hosts) agents.push(await new Agent(world, fqdn).start());
  servings = agents.map((agent) => new Serving(agent));
  for (const [n, agent] of agents.entries()) agent.processes = servings[n]!;
});

const order = (what: 'start' | 'stop', type: string, n: number) =>
  world.call('POST', `/api/v1/zones/default/services/${type}/${what}`, { node: hosts[n] });
/** Lets what was said be worked on, the agents do what they are told, and who watches what be planned. */
async function obeys(): Promise<void> {
  await world.step(0);
  for (const serving of servings) await serving.obey();
  await world.step(5 * secondMs);
}
async function starts(type: string, ...on: number[]): Promise<void> {
  for (const n of on) expect((await order('start', type, n)).status).toBe(201);
  await obeys();
}
const bodyOf = async <S>(noun: string, id: string): Promise<S | undefined> => {
  const row = await world.table.read(keyOf({ noun, id }));
  return row?.gone ? undefined : (row?.body as S);
};
const setOf = (n: number) => bodyOf<WatchSet>('watch-set', `default/${agents[n]!.id}`);
/** Whom the supervisor of a node watches, by the numbers of the hosts. */
async function watches(n: number): Promise<{ services: number[]; supervisors: number[] } | undefined> {
  const set = await setOf(n);
  const named = (watched: WatchSet['services']) => watched.map(({ node }) => agents.findIndex(({ id }) => id === node));
  return set && { services: named(set.services).sort(), supervisors: named(set.supervisors).sort() };
}
const told = async (n: number) => ((await agents[n]!.desired()).body as DesiredAnswer).supervisor;
const service = (type: string, n: number) => bodyOf<Service>('service', `${agents[n]!.id}/${type}`);
const shown = async (type: string, n: number) =>
  (await world.call('GET', `/api/v1/zones/default/services/${type}/${hosts[n]}`)).body as ServiceView;
const explained = async (type: string, n: number) =>
  ((await world.call('GET', `/api/v1/explain/service/${type}@${hosts[n]}`)).body as Explanation).also;
const missing = (n: number, missed: readonly object[]) =>
  servings[n]!.says('supervisor.missed', { ...servings[n]!.about('supervisor'), missed });

describe('supervisors', () => {
  it('watch the services of their nodes and each other, and one more has its share of the others', async () => {
    await starts('statistics', 0, 1, 2, 3);
    expect(await bodyOf('supervision', 'default')).toBeUndefined();
    await starts('supervisor', 0);
    expect(await watches(0)).toEqual({ services: [0, 1, 2, 3], supervisors: [] });
    await starts('supervisor', 1);
    expect(await watches(0)).toMatchObject({ supervisors: [1] });
    expect(await watches(1)).toMatchObject({ supervisors: [0] });
    const both = [...(await watches(0))!.services, ...(await watches(1))!.services].sort();
    expect(both).toEqual([0, 1, 2, 3]);
    const loads = [await watches(0), await watches(1)].map((set) => set!.services.length);
    expect(loads).toEqual([2, 2]);
  });

  it('are told where those are that they watch, when that changes', async () => {
    await starts('statistics', 0, 1);
    await starts('supervisor', 0);
    expect(await told(1)).toBeUndefined();
    const instance = (await shown('supervisor', 0)).instance;
    const watched = { node: agents[1]!.id, host: hosts[1], address: expect.stringMatching(/:\d+$/) };
    expect(await told(0)).toEqual({ instance, own: agents[0]!.id, watches: [watched] } satisfies Record<keyof DesiredSupervisor, unknown>);
    const etag = (await agents[0]!.desired()).headers['etag']!;
    expect((await agents[0]!.desired({ 'if-none-match': etag })).status).toBe(304);
    await starts('statistics', 2);
    expect((await agents[0]!.desired({ 'if-none-match': etag })).status).toBe(200);
    expect((await told(0))!.watches.map(({ host }) => host).sort()).toEqual([hosts[1], hosts[2]]);
  });

  it('hand over all that they watch when one fails, is stopped, or its node is lost, and have it back', async () => {
    await starts('statistics', 0, 1, 2);
    await starts('supervisor', 0, 1, 2);
    await servings[0]!.ends('supervisor', 1);
    await world.step(5 * secondMs);
    expect(await watches(0)).toBeUndefined();
    const heirs = (await Promise.all([1, 2].map(watches))).filter((set) => set!.services.includes(0));
    expect(heirs.length).toBe(1);
    await world.step(5 * secondMs);
    await obeys();
    expect(await watches(0)).toMatchObject({ services: [0] });
    agents[1]!.fallSilent();
    await world.step(2 * minuteMs);
    expect(await watches(1)).toBeUndefined();
    expect([...(await watches(0))!.services, ...(await watches(2))!.services].sort()).toEqual([0, 1, 2]);
    expect([...(await watches(0))!.supervisors, ...(await watches(2))!.supervisors].sort()).toEqual([0, 2]);
    agents[1]!.beats();
    await agents[1]!.up();
    await world.step(20 * secondMs);
    expect(await watches(1)).toMatchObject({ services: [1] });
    await order('stop', 'supervisor', 2);
    await obeys();
    expect(await watches(2)).toBeUndefined();
  });

  it('that are gone leave nothing behind, and are looked after no more than now and then', async () => {
    await starts('statistics', 0);
    await starts('supervisor', 0);
    await order('stop', 'supervisor', 0);
    await obeys();
    expect(await setOf(0)).toBeUndefined();
    await world.step(2 * minuteMs);
    expect((await world.table.read(keyOf({ noun: 'supervision', id: 'default' })))!.wakeAt).toBeGreaterThan(world.now() + 5 * minuteMs);
  });

  it('are in the graph, and whoever asks why a service is so is told who watches it', async () => {
    await starts('statistics', 0, 1);
    await starts('supervisor', 0, 1);
    const { edges } = (await world.call('GET', '/api/v1/zones/default/graph')).body as { edges: Edge[] };
    const [a, b] = agents.map(({ id }) => id);
    expect(
      edges
        .filter(({ relation }) => relation === 'watches')
        .map(({ from, to }) => `${from} > ${to}`)
        .sort(),
    ).toEqual(
      [
        `instance supervisor@${a} > instance statistics@${a}`,
        `instance supervisor@${a} > instance supervisor@${b}`,
        `instance supervisor@${b} > instance statistics@${b}`,
        `instance supervisor@${b} > instance supervisor@${a}`,
      ].sort(),
    );
    expect((await shown('statistics', 1)).supervisor).toEqual({ node: b, host: hosts[1] });
    expect(await explained('statistics', 1)).toContainEqual({ subject: 'its supervisor', because: `that of ${hosts[1]}` });
    expect(await explained('supervisor', 0)).toEqual(
      expect.arrayContaining([
        { subject: 'its supervisor', because: `that of ${hosts[1]}` },
        { subject: 'it watches the services of', because: hosts[0] },
        { subject: 'it watches the supervisors of', because: hosts[1] },
      ]),
    );
  });
});

describe('what a supervisor misses', () => {
  beforeEach(async () => {
    await starts('statistics', 0, 1, 2);
    await starts('supervisor', 0);
  });

  it('is asked how it is at once, once, and shown with since when it is missed and what its own agent says', async () => {
    // Nobody has its set sooner.
    await world.step(secondMs);
    const at = world.now();
    await missing(0, [{ node: agents[1]!.id, forMs: 20_000 }]);
    await world.step(0);
    expect((await service('statistics', 1))!.asks).toMatchObject([{ what: 'check' }]);
    expect((await service('statistics', 2))!.asks).toEqual([]);
    expect((await setOf(0))!.missed).toEqual([{ node: agents[1]!.id, since: at - 20_000 }]);
    const since = new Date(at - 20_000).toISOString();
    expect((await shown('statistics', 1)).supervisor).toMatchObject({ host: hosts[0], missedSince: since });
    const because = (how: string) => `that of ${hosts[0]}, which has not heard it since then: ${how}`;
    expect(await explained('statistics', 1)).toContainEqual({
      subject: 'its supervisor',
      because: because('its agent is asked'),
      at: since,
    });
    await missing(0, [{ node: agents[1]!.id, forMs: 30_000 }]);
    await world.step(0);
    const [ask, ...more] = (await service('statistics', 1))!.asks;
    expect(more).toEqual([]);
    const answer = { ...servings[1]!.about('statistics'), ask: ask!.id, what: 'check', exit: 0, says: 'load 0.1' };
    await servings[1]!.says('service.answered', answer);
    await world.step(0);
    expect(await explained('statistics', 1)).toContainEqual({
      subject: 'its supervisor',
      because: because('its agent has answered, exit 0'),
      at: since,
    });
    await missing(0, []);
    await world.step(0);
    expect((await shown('statistics', 1)).supervisor).toEqual({ node: agents[0]!.id, host: hosts[0] });
  });

  it('is not asked where its node is down, or another instance says so, or it is none of those that it watches', async () => {
    await missing(0, [
      { node: agents[3]!.id, forMs: 0 },
      { node: agents[1]!.id, service: 'statistics', forMs: 0 },
    ]);
    await world.step(0);
    expect((await setOf(0))!.missed).toEqual([]);
    const about = { ...servings[0]!.about('supervisor'), instance: 'abc.9' };
    await servings[0]!.says('supervisor.missed', { ...about, missed: [{ node: agents[1]!.id, forMs: 0 }] });
    await world.step(0);
    expect((await setOf(0))!.missed).toEqual([]);
    agents[1]!.fallSilent();
    await world.step(2 * minuteMs);
    await missing(0, [{ node: agents[1]!.id, forMs: 120_000 }]);
    await world.step(0);
    expect((await setOf(0))!.missed.length).toBe(1);
    expect((await service('statistics', 1))!.asks).toEqual([]);
  });

  it('may be a service of its own node, or another supervisor, and that one alone is asked', async () => {
    await starts('supervisor', 1);
    await missing(0, [
      { node: agents[0]!.id, service: 'statistics', forMs: 20_000 },
      { node: agents[1]!.id, forMs: 20_000 },
    ]);
    await world.step(0);
    expect((await service('statistics', 0))!.asks.length).toBe(1);
    expect((await service('supervisor', 1))!.asks.length).toBe(1);
    expect((await service('statistics', 1))!.asks).toEqual([]);
  });

  it('is asked also where the word that it was heard again comes in between: then it is missed anew', async () => {
    await world.step(secondMs);
    await missing(0, [{ node: agents[1]!.id, forMs: 20_000 }]);
    await world.step(0);
    const [first] = (await service('statistics', 1))!.asks;
    await servings[1]!.says('service.answered', { ...servings[1]!.about('statistics'), ask: first!.id, what: 'check', exit: 0, says: '' });
    await world.step(0);
    expect((await service('statistics', 1))!.asks).toEqual([]);

    const key = keyOf({ noun: 'watch-set', id: `default/${agents[0]!.id}` });
    const { table } = world.environment('reports') as { table: Partial<Pick<Table, 'commit'>> };
    const commit = table.commit!;
    table.commit = async (changes) => {
      if (!changes.some((one) => 'put' in one && one.put.key.sk === key.sk)) return commit(changes);
      Object.assign(table, { commit });
      const { rev, ...row } = (await world.table.read(key))!;
      await world.table.commit([
        { put: { ...row, body: { ...(row.body as WatchSet), missed: [] }, by: 'a word in between' }, readRev: rev },
      ]);
      return commit(changes);
    };
    await missing(0, [{ node: agents[1]!.id, forMs: 40_000 }]);
    await world.step(0);
    expect((await setOf(0))!.missed).toMatchObject([{ node: agents[1]!.id }]);
    expect((await service('statistics', 1))!.asks).toMatchObject([{ what: 'check' }]);
  });

  it('is what was said last, also by a supervisor whose node was down and is back', async () => {
    await starts('supervisor', 1);
    const says = (missed: readonly object[], seq: number) =>
      servings[0]!.says('supervisor.missed', { ...servings[0]!.about('supervisor'), missed }, seq);
    const late = [{ node: agents[1]!.id, forMs: 20_000 }];
    const [first, second] = [servings[0]!.next(), servings[0]!.next()];
    await says(late, first);
    await says([], second);
    await world.step(0);
    agents[0]!.fallSilent();
    await world.step(2 * minuteMs);
    expect(await setOf(0)).toBeUndefined();
    agents[0]!.beats();
    await agents[0]!.up();
    await world.step(20 * secondMs);
    expect(await setOf(0)).toMatchObject({ missed: [] });
    await says(late, first);
    await world.step(0);
    expect((await setOf(0))!.missed).toEqual([]);
    await says(late, servings[0]!.next());
    await world.step(0);
    expect((await setOf(0))!.missed).toMatchObject([{ node: agents[1]!.id }]);
  });
});
