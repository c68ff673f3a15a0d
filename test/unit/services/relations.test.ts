import { beforeEach, describe, expect, it } from 'vitest';
import { minuteMs } from '../../../lib/core/time.ts';
import { dangling, type Fragment } from '../../../lib/graph/graph.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import type { ServiceView } from '../../../lib/services/view-routes.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { Serving } from '../../support/serving.ts';

const [shop, store] = ['salt1.acme.org', 'salt2.acme.org'];

let world: World;
const servings: Serving[] = [];
const agents: Agent[] = [];

const api = (method: string, path: string, body?: object) => world.call(method, `/api/v1/zones/default/${path}`, body);
const order = (what: string, type: string, node: string, configuration?: object) =>
  api('POST', `services/${type}/${what}`, { node, ...(configuration && { configuration }) });
const shown = async () => (await api('GET', `services/shop/${shop}`)).body as ServiceView;
const graph = async () => (await api('GET', 'graph')).body as Fragment;
const needs = async () => (await graph()).edges.filter(({ relation }) => relation === 'stock');
async function obey(): Promise<void> {
  await world.step(0);
  for (const serving of servings) await serving.obey();
  await world.step(0);
}

const put = (relations: readonly object[], configuration: object = { type: 'object' }) =>
  api('PUT', 'service-types/shop', { start: ['shop'], schema: { name: 'shop', configuration, relations } });

beforeEach(async () => {
  world = await stepped({ beatMinMs: 10_000, sweepPeriodMs: 5_000 });
  agents.length = servings.length = 0;
  for (const name of [shop, store]) {
    const agent = await new Agent(world, name).start();
    const serving = new Serving(agent);
    agent.processes = serving;
    agents.push(agent);
    servings.push(serving);
  }
  await api('PUT', 'service-types/store', { start: ['store'] });
  await put([{ name: 'stock', to: 'store' }]);
});

describe('a relation of a type', () => {
  it('is an edge of the graph to each service that the configuration names, and shown with how that is', async () => {
    await order('start', 'store', store!);
    await obey();
    expect((await order('start', 'shop', shop!, { stock: store })).status).toBe(201);
    expect(await needs()).toEqual([{ from: `instance shop@${agents[0]!.id}`, relation: 'stock', to: `instance store@${agents[1]!.id}` }]);
    expect((await shown()).relations).toEqual([{ name: 'stock', to: 'store', host: store, node: agents[1]!.id, state: 'online' }]);
    const { body } = await world.call('GET', `/api/v1/explain/service/shop@${shop}`);
    expect(JSON.stringify(body)).toContain(`the service store on ${store} is online`);
  });

  it('is checked when a service is ordered: what it names must be registered, and not be on its way out', async () => {
    const refused = await order('start', 'shop', shop!, { stock: [store, 7] });
    expect([refused.status, refused.body]).toMatchObject([
      422,
      {
        type: 'urn:muster:problem:configuration-invalid',
        errors: [
          { pointer: '/configuration/stock/1', detail: 'must be the host of a service store, or a list of such hosts' },
          { pointer: '/configuration/stock/0', detail: `no service store is registered on ${store}` },
        ],
      },
    ]);
    await order('start', 'store', store!);
    await obey();
    await order('start', 'shop', shop!);
    expect(await needs()).toEqual([]);
    await order('stop', 'store', store!);
    expect((await order('reconfigure', 'shop', shop!, { stock: store })).body).toMatchObject({
      errors: [{ pointer: '/configuration/stock', detail: `the service store on ${store} is being stopped` }],
    });
  });

  it('is there once however often a host is named, and is bounded whatever stands there', async () => {
    await order('start', 'store', store!);
    await obey();
    expect((await order('start', 'shop', shop!, { stock: [store, store!.toUpperCase()] })).status).toBe(201);
    expect((await shown()).relations).toEqual([{ name: 'stock', to: 'store', host: store, node: agents[1]!.id, state: 'online' }]);
    const { status, body } = await order('reconfigure', 'shop', shop!, { stock: Array.from({ length: 20_000 }, () => 1) });
    expect([status, (body as { errors: unknown[] }).errors.length]).toEqual([422, 33]);
  });

  it('does not lead to one that is about to end by itself', async () => {
    await order('start', 'store', store!);
    await obey();
    await servings[1]!.says('service.stopping', servings[1]!.about('store'));
    await world.step(0);
    expect((await order('start', 'shop', shop!, { stock: store })).body).toMatchObject({
      errors: [{ detail: `the service store on ${store} is about to end` }],
    });
  });

  it('loses its edge with the service that it names, which is shown as not registered', async () => {
    await order('start', 'store', store!);
    await obey();
    await order('start', 'shop', shop!, { stock: store });
    await order('stop', 'store', store!);
    await obey();
    expect(await needs()).toEqual([]);
    expect(dangling(await graph())).toEqual([]);
    expect((await shown()).relations).toEqual([{ name: 'stock', to: 'store', host: store }]);
  });

  it('is ordered on what is there when the order is carried out: one that is stopped meanwhile is seen', async () => {
    await order('start', 'store', store!);
    await obey();
    const commit = world.table.commit.bind(world.table);
    let isFirst = true;
    world.table.commit = async (changes) => {
      if (isFirst && changes.some((change) => 'put' in change && change.put.key.sk === 'service#shop')) {
        isFirst = false;
        await order('stop', 'store', store!);
      }
      return commit(changes);
    };
    expect((await order('start', 'shop', shop!, { stock: store })).status).toBe(422);
    expect((await world.table.read(keyOf({ noun: 'service', id: `${agents[0]!.id}/shop` })))?.body).toBeUndefined();
  });

  it('shows that what it names is inhibited with its node', async () => {
    await order('start', 'store', store!);
    await obey();
    await order('start', 'shop', shop!, { stock: store });
    agents[1]!.fallSilent();
    await world.step(10 * minuteMs);
    expect((await shown()).relations).toMatchObject([{ host: store, state: 'inhibited' }]);
  });

  it('has a name of its own, which the graph does not use, and names nobody by a secret', async () => {
    const twice = await put([
      { name: 'stock', to: 'store' },
      { name: 'stock', to: 'shop' },
      { name: 'watches', to: 'shop' },
    ]);
    expect(twice.status).toBe(422);
    expect(JSON.stringify(twice.body)).toMatch(/there is a relation stock above.*uses the name watches itself/);
    await put([{ name: 'stock', to: 'store' }], { type: 'object', properties: { stock: { type: 'string', 'x-secret': true } } });
    await order('start', 'store', store!);
    expect((await order('start', 'shop', shop!, { stock: store })).body).toMatchObject({ errors: [{ pointer: '/configuration/stock' }] });
  });
});
