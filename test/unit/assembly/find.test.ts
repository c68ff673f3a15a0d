import { beforeEach, describe, expect, it } from 'vitest';
import { findRoutes } from '../../../lib/assembly/find/routes.ts';
import { statusesOf } from '../../../lib/assembly/find/things.ts';
import { fidOf } from '../../../lib/core/fid.ts';
import { Fqdn } from '../../../lib/core/ids.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { fieldNamed } from '../../../lib/search/language/fields.ts';
import { aRow, put } from '../../../tools/support/a-row.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

type Answer = {
  readonly items: readonly Readonly<Record<string, string>>[];
  readonly total: number;
  readonly next?: string;
  readonly query: string;
};

let world: World;
const ask = (q: string, more: Readonly<Record<string, string>> = {}, headers?: Readonly<Record<string, string>>) =>
  world.call('GET', `/api/v1/find?${new URLSearchParams({ q, ...more })}`, undefined, headers);
const find = async (q: string, more?: Readonly<Record<string, string>>): Promise<Answer> => {
  const { status, body } = await ask(q, more);
  expect([status, body]).toMatchObject([200, {}]);
  expect(findRoutes.findThings.reply?.safeParse(body)).toMatchObject({ success: true });
  return body as Answer;
};
const names = async (q: string): Promise<(string | undefined)[]> => (await find(q)).items.map(({ name }) => name);

describe('a search for other things than client systems', () => {
  beforeEach(async () => {
    world = await stepped();
    await new Agent(world, 'node1.acme.org').start();
    await new Agent(world, 'node2.acme.org').start();
    await new Daemon(world, 'web1.acme.org').onboarded();
  });

  it('finds nodes by name, id, zone, status and moments, in the order of their names', async () => {
    const { items, total, query } = await find('kind:node');
    expect({ total, query }).toEqual({ total: 2, query: 'kind:node' });
    expect(items.map(({ id: _, ...node }) => node)).toEqual([
      { kind: 'node', name: 'node1.acme.org', zone: 'default', status: 'up' },
      { kind: 'node', name: 'node2.acme.org', zone: 'default', status: 'up' },
    ]);
    const [first] = items;
    expect(await names(`kind:node ${first?.['id']}`)).toEqual(['node1.acme.org']);
    expect(await names('node2 kind:node')).toEqual(['node2.acme.org']);
    expect(await names('kind:node node:node1')).toEqual(['node1.acme.org']);
    expect(await names('kind:node (zone:default seen:<1h registered:<1h) status:up')).toHaveLength(2);
    expect(await names('kind:node -zone:default')).toEqual([]);
    await world.call('POST', '/api/v1/nodes/node1.acme.org/leave', { mode: 'drain' });
    expect(await names('kind:node -status:up')).toEqual(['node1.acme.org']);
  });

  it('finds services by their name, type, node and state', async () => {
    expect(await world.call('PUT', '/api/v1/zones/default/service-types/greeter', { start: ['greet'] })).toMatchObject({
      status: 200,
    });
    const started = await world.call('POST', '/api/v1/zones/default/services/greeter/start', { node: 'node1.acme.org' });
    expect(started).toMatchObject({ status: 201 });
    expect((await find('kind:service')).items).toEqual([
      { kind: 'service', id: 'greeter', name: 'greeter', zone: 'default', node: 'node1.acme.org', status: 'starting' },
    ]);
    expect(await names('kind:service node:node1* status:starting greet*')).toEqual(['greeter']);
    expect(await names('kind:service node:node2*')).toEqual([]);
  });

  it('finds processes of storage clusters by their type, fid, host and state', async () => {
    const fqdn = Fqdn.parse('ssu1.acme.org');
    const [fid, service] = [fidOf('process', 2), fidOf('service', 3)];
    const process = {
      ...{ fid, zone: 'lab', host: fqdn, type: { tag: 'PLM0d', contents: 1 }, endpoint: '10.0.0.1@tcp:12345:41:401' },
      ...{ memory: {}, cores: [], environment: [], services: [{ fid: service, type: 'CST_IOS' }], devices: 0 },
      ...{ state: { is: 'offline' }, since: world.now(), start: 0 },
    };
    expect(await world.call('POST', '/api/v1/zones', { name: 'lab', kind: 'storage' })).toMatchObject({ status: 201 });
    await world.table.commit([put(aRow({ ...keyOf({ noun: 'process', id: `lab/${fid}` }), body: process }))]);

    const { items } = await find('kind:process');
    expect(items).toEqual([{ kind: 'process', id: fid, name: expect.any(String), zone: 'lab', node: fqdn, status: 'offline' }]);
    for (const q of [items[0]?.['name'], `"${fid}"`, 'node:ssu1', 'status:offline', 'zone:lab'])
      expect(await names(`kind:process ${q}`)).toHaveLength(1);
    expect(await names('kind:process status:online')).toEqual([]);
  });

  it('finds hosts that wait, and several kinds together', async () => {
    world = await stepped({ admits: 'nobody' });
    await new Agent(world, 'host1.acme.org').join();
    expect((await find('kind:host')).items).toMatchObject([{ kind: 'host', name: 'host1.acme.org', status: 'waiting' }]);
    expect(await names('kind:node,host,service,process')).toEqual(['host1.acme.org']);
    expect(await names('kind:host status:rejected')).toEqual([]);
  });

  it('goes on by a cursor, counts without a page, and takes the cursor for no other query', async () => {
    const first = await find('kind:node', { limit: '1' });
    expect(first).toMatchObject({ total: 2, items: [{ name: 'node1.acme.org' }] });
    const second = await find('kind:node', { limit: '1', cursor: first.next ?? '' });
    expect(second.items).toMatchObject([{ name: 'node2.acme.org' }]);
    expect(second).not.toHaveProperty('next');
    expect(await find('kind:node', { limit: '0' })).toEqual({ items: [], total: 2, query: 'kind:node' });
    expect(await ask('kind:node,host', { cursor: first.next ?? '' })).toMatchObject({
      status: 400,
      body: { type: 'urn:muster:problem:bad-cursor' },
    });
  });

  it.each([
    ['', /^column 1: it is not said what is searched for; write kind:node/],
    ['web* or kind:node', /^column 1: it is not said/],
    ['-kind:node', /^column 1: it is not said/],
    ['kind:*', /^column 1: a kind is missing/],
    ['node1 kind:node,system', /^column 7: client systems are found by themselves/],
    ['kind:node tag:db', /^column 11: tag is no field of a node; it has kind, name, node/],
    ['kind:node,service seen:<1h', /^column 19: seen is no field of a service/],
    ['kind:node status:onboarded', /^column 11: onboarded is no status of a node; it has absent/],
    ['kind:node tga:db', /^column 11: there is no field tga/],
  ])('is refused for %j, which names no kind, or what the kind does not have', async (q, detail) => {
    expect(await ask(q)).toMatchObject({
      status: 400,
      body: { type: 'urn:muster:problem:bad-query', detail: expect.stringMatching(detail) },
    });
  });

  it('knows every status of every kind in the language', () => {
    const words = new Set(Object.values(statusesOf).flat());
    expect((fieldNamed('status')?.field.others ?? []).map(({ value }) => value).sort()).toEqual([...words].sort());
  });
});
