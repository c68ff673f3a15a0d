import { beforeEach, describe, expect, it } from 'vitest';
import { dangling, type Fragment } from '../../../lib/graph/graph.ts';
import type { FoundService, ServiceView } from '../../../lib/services/view-routes.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { Serving } from '../../support/serving.ts';

let world: World;
let agents: Agent[];
let serving: Serving[];
const hosts = ['salt1.acme.org', 'salt2.acme.org', 'salt3.acme.org'];

beforeEach(async () => {
  world = await stepped({ beatMinMs: 10_000, sweepPeriodMs: 5_000 });
  agents = await Promise.all(hosts.map((fqdn) => new Agent(world, fqdn).start()));
  serving = agents.map((agent) => new Serving(agent));
  for (const [i, agent] of agents.entries()) agent.processes = serving[i]!;
  const schema = { configuration: { properties: { port: { type: 'integer' } } }, resources: [{ kind: 'database', hold: 'shared' }] };
  for (const [type, more] of [
    ['web', { schema }],
    ['proxy', { serviceName: 'web', schema: 'web' }],
    ['cron', {}],
  ] as const)
    expect((await world.call('PUT', `/api/v1/zones/default/service-types/${type}`, { start: ['run'], ...more })).status).toBe(200);
  await starts('web', 0, { port: 80 });
  await starts('cron', 0);
  await starts('proxy', 1);
  await starts('cron', 2);
  await obey();
});

const starts = (type: string, host: number, configuration: object = {}) =>
  world.call('POST', `/api/v1/zones/default/services/${type}/start`, { node: hosts[host], configuration });
async function obey(): Promise<void> {
  await world.step(0);
  for (const one of serving) await one.obey();
  await world.step(0);
}
const get = (path: string) => world.call('GET', `/api/v1/zones/default/services${path}`);
const listed = async (query: string) => {
  const { items } = (await get(query)).body as { items: ServiceView[] };
  return items.map(({ type, host, state }) => `${type} ${host} ${state}`);
};
const slugOf = ({ body }: { body: unknown }) => (body as { type: string }).type.replace('urn:muster:problem:', '');

describe('the list of services', () => {
  it('has those of a zone by their names, or those that a filter leaves', async () => {
    expect(await listed('')).toEqual(
      [
        ...['cron salt1.acme.org online', 'cron salt3.acme.org online'].sort(),
        ...['proxy salt2.acme.org online', 'web salt1.acme.org online'],
      ].sort(byListing),
    );
    expect(await listed('?type=proxy')).toEqual(['proxy salt2.acme.org online']);
    expect((await listed('?name=web')).sort()).toEqual(['proxy salt2.acme.org online', 'web salt1.acme.org online']);
    expect(await listed('?name=web&type=cron')).toEqual([]);
    expect(await listed('?type=nothing')).toEqual([]);
    expect(await listed('?node=salt1.acme.org')).toEqual(['cron salt1.acme.org online', 'web salt1.acme.org online']);
    expect(await listed(`?node=${agents[0]!.id}&type=web`)).toEqual(['web salt1.acme.org online']);
    expect(await listed('?state=failed')).toEqual([]);
    expect(slugOf(await get('?node=salt9.acme.org'))).toBe('unknown-node');
  });

  it('goes on where a page ended, each service once, and takes no cursor of another query', async () => {
    for (const query of ['', '&node=salt1.acme.org']) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const { items, next } = (await get(`?limit=1${query}${cursor}`)).body as { items: ServiceView[]; next?: string };
        seen.push(...items.map(({ type, host }) => `${type} ${host}`));
        cursor = next === undefined ? '' : `&cursor=${next}`;
        if (next !== undefined) expect(slugOf(await get(`?limit=1&type=web&cursor=${next}`))).toBe('bad-cursor');
      } while (cursor !== '');
      expect(seen.length).toBe(query === '' ? 4 : 2);
      expect(new Set(seen).size).toBe(seen.length);
    }
  });

  it('shows those of a node that is down as inhibited, and what they were', async () => {
    agents[1]!.fallSilent();
    await world.step(120_000);
    expect(await listed('?state=inhibited')).toEqual(['proxy salt2.acme.org inhibited']);
    expect((await get('/proxy/salt2.acme.org')).body).toMatchObject({ state: 'inhibited', previous: 'online' });
  });
});

/** Services stand in the list by name, type and node id. */
function byListing(a: string, b: string): number {
  const key = (line: string) => {
    const [type, host] = line.split(' ') as [string, string];
    return `${type === 'proxy' ? 'web' : type} ${type} ${agents[hosts.indexOf(host)]!.id}`;
  };
  return key(a) < key(b) ? -1 : 1;
}

describe('one service', () => {
  it('is shown with what it runs with, its instance and its life', async () => {
    const { status, body } = await get('/web/salt1.acme.org');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 'web',
      name: 'web',
      node: agents[0]!.id,
      host: 'salt1.acme.org',
      zone: 'default',
      state: 'online',
      configuration: { port: 80 },
      pid: expect.any(Number),
      asks: [],
      results: [],
      resources: [],
    });
    expect((body as ServiceView).instance).toMatch(/^[0-9a-z]+\.1$/);
  });

  it('has what it is asked', async () => {
    const { body } = await world.call('POST', '/api/v1/zones/default/services/web/check', { node: 'salt1.acme.org' });
    const { ask, until } = body as { ask: string; until: string };
    expect((await get('/web/salt1.acme.org')).body).toMatchObject({ asks: [{ id: ask, what: 'check', until }] });
  });

  it('is unknown where it is not registered', async () => {
    expect(slugOf(await get('/web/salt3.acme.org'))).toBe('unknown-service');
    expect(slugOf(await get('/web/salt9.acme.org'))).toBe('unknown-node');
  });
});

describe('a type that has services', () => {
  it('is neither put anew nor deleted until they have stopped', async () => {
    const path = '/api/v1/zones/default/service-types/proxy';
    const because = 'there are services of type proxy, on salt2.acme.org: stop them first';
    expect((await world.call('DELETE', path)).body).toMatchObject({ detail: because });
    expect((await world.call('PUT', path, { serviceName: 'web', schema: 'web', start: ['other'] })).body).toMatchObject({
      detail: because,
    });
    await world.call('POST', '/api/v1/zones/default/services/proxy/stop', { node: 'salt2.acme.org' });
    await obey();
    expect((await world.call('DELETE', path)).body).toEqual({ done: true, because: 'type proxy deleted' });
  });
});

describe('a type that is being deleted', () => {
  const path = '/api/v1/zones/default/service-types/spare';
  const start = () =>
    world.call('POST', '/api/v1/zones/default/services/spare/start', { node: 'salt2.acme.org', configuration: { port: 80 } });
  /** Does something while a deletion waits between closing the type and looking once more. */
  async function deleted(meanwhile: () => Promise<unknown>) {
    const admin = world.environment('admin');
    const { sleep } = admin;
    Object.assign(admin, { sleep: async () => void (await meanwhile()) });
    const reply = await world.call('DELETE', path);
    Object.assign(admin, { sleep });
    return reply;
  }
  beforeEach(() => world.call('PUT', path, { serviceName: 'spare', schema: 'web', start: ['spare'] }));

  it('has no service that is started meanwhile', async () => {
    let refused: unknown;
    const reply = await deleted(async () => {
      refused = await start();
    });
    expect(refused).toMatchObject({ status: 409, body: { detail: 'type spare is being deleted: put it again to keep it' } });
    expect(reply.body).toEqual({ done: true, because: 'type spare deleted' });
    expect(slugOf(await start())).toBe('unknown-service-type');
    expect(slugOf(await world.call('DELETE', path))).toBe('unknown-service-type');
  });

  it('stays, and can be started, where a service of it is seen after all', async () => {
    // Its commit came first, and the index later.
    const { queryIndex } = world.table;
    Object.assign(world.table, { queryIndex: async () => ({ items: [] }) });
    expect((await start()).status).toBe(201);
    const reply = await deleted(async () => Object.assign(world.table, { queryIndex }));
    expect(reply).toMatchObject({ status: 409, body: { detail: 'there are services of type spare, on salt2.acme.org: stop them first' } });
    expect((await start()).status).toBe(200);
  });

  it('is deleted, or put again, also when whoever deleted it died', async () => {
    const died = () => deleted(() => Promise.reject(new Error('killed')));
    expect((await died()).status).toBe(500);
    expect((await start()).status).toBe(409);
    expect((await world.call('PUT', path, { serviceName: 'spare', schema: 'web', start: ['spare'] })).status).toBe(200);
    expect((await died()).status).toBe(500);
    expect((await world.call('DELETE', path)).body).toEqual({ done: true, because: 'type spare deleted' });
  });
});

describe('a node that looks for a service', () => {
  it('is told who of its zone has the name, those that are online first', async () => {
    await starts('web', 2);
    const { status, body } = await agents[0]!.call('GET', `/nodes/${agents[0]!.id}/services?name=web`);
    expect(status).toBe(200);
    const found = body as FoundService[];
    expect(found.map(({ type, host, state }) => [type, host, state])).toEqual([
      ['proxy', 'salt2.acme.org', 'online'],
      ['web', 'salt1.acme.org', 'online'],
      ['web', 'salt3.acme.org', 'starting'],
    ]);
    expect(found[0]).toMatchObject({ name: 'web', node: agents[1]!.id });
    expect((await agents[0]!.call('GET', `/nodes/${agents[0]!.id}/services?name=nobody`)).body).toEqual([]);
    expect((await agents[0]!.call('GET', `/nodes/${agents[0]!.id}/services`)).status).toBe(422);
  });
});

describe('the graph of a zone', () => {
  it('has services under their nodes, with what they run with, and loses no end of an edge', async () => {
    const { body } = await world.call('GET', '/api/v1/zones/default/graph');
    const graph = body as Fragment;
    const id = `instance web@${agents[0]!.id}`;
    expect(dangling(graph)).toEqual([]);
    expect(graph.edges).toContainEqual({ from: `node ${agents[0]!.id}`, relation: 'runs', to: id });
    expect(graph.vertices.find((vertex) => vertex.id === id)).toMatchObject({
      kind: 'instance',
      label: 'web',
      facts: { name: 'web', state: 'online', configuration: expect.stringMatching(/^[0-9a-f]{16}$/), pid: expect.any(Number) },
    });
    const { instance } = (await get('/web/salt1.acme.org')).body as ServiceView;
    await serving[0]!.says('service.acquired', { service: 'web', instance, kind: 'database', id: 'customers', hold: 'shared' });
    await world.step(0);
    const after = (await world.call('GET', '/api/v1/zones/default/graph')).body as Fragment;
    expect(after.edges).toContainEqual({ from: id, relation: 'shares', to: 'resource database:customers' });
    expect(dangling(after)).toEqual([]);
  });
});
