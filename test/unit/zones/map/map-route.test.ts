import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { dayMs } from '../../../../lib/core/time.ts';
import { nodeRef } from '../../../../lib/nodes/node.ts';
import { sentReply } from '../../../../lib/runtime/reply.ts';
import type { ZoneMapView } from '../../../../lib/zones/map/routes.ts';
import { zoneNow } from '../../../../lib/zones/reads/zones.ts';
import { counted, store, zoneOfNodes } from '../../../../tools/support/a-zone-of-nodes.ts';
import { aNode, at, nodeFqdn, nodeId } from '../../../../tools/support/builders.ts';
import { seeded } from '../../../../tools/support/seeded.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

let world: World;
const slots = 4_096;
const random = seeded(7);
const clients = Uint16Array.from({ length: slots }, () => Math.floor(random() * 20));
beforeEach(async () => {
  world = await stepped({ slots });
  await zoneOfNodes(
    world.environment('sweep'),
    Array.from({ length: 12 }, () => ({})),
  );
  await counted(world, clients);
});

const ask = (query = '', headers: Readonly<Record<string, string>> = {}) =>
  world.call('GET', `/api/v1/zones/default/map${query}`, undefined, headers);
const mapNow = async (query = ''): Promise<ZoneMapView> => (await ask(query)).body as ZoneMapView;
const cells = (text: string): Uint16Array => {
  const bytes = Buffer.from(text, 'base64');
  return Uint16Array.from({ length: bytes.length / 2 }, (_, n) => bytes.readUInt16LE(n * 2));
};
/** A map with the moves of a later answer made in it. */
const after = ({ whole }: ZoneMapView, { moves }: ZoneMapView): { owner: Uint16Array; home: Uint16Array } => {
  const [owner, home] = [cells(whole!.owner), cells(whole!.home)];
  const bytes = Buffer.from(moves!, 'base64');
  for (let at = 0; at < bytes.length; at += 8) {
    owner[bytes.readUInt32LE(at)] = bytes.readUInt16LE(at + 4);
    home[bytes.readUInt32LE(at)] = bytes.readUInt16LE(at + 6);
  }
  return { owner, home };
};
const drop = (n: number) => world.call('POST', `/api/v1/nodes/${nodeId(n)}/drop`, {});

describe('the map of a zone', () => {
  it('has the owner, the home and about the client systems of each slot, and names the nodes by index', async () => {
    const body = await mapNow();
    const { map, head } = (await zoneNow(world.environment('sweep'), 'default'))!;

    expect(cells(body.whole!.owner)).toEqual(map.owner);
    expect(cells(body.whole!.home)).toEqual(map.home);
    expect(cells(body.whole!.systems)).toEqual(clients);
    expect(body).toMatchObject({ zone: 'default', version: head.mapVersion, slots });
    expect(body.nodes.map(({ index, fqdn, standing }) => [index, fqdn, standing])).toEqual(
      Array.from({ length: 12 }, (_, n) => [n, nodeFqdn(n + 1), 'up']),
    );
    expect(body.nodes.reduce((sum, one) => sum + one.systemsAbout, 0)).toBe(clients.reduce((sum, one) => sum + one, 0));
  });

  it('weighs 35 KB, and a quarter of that on the wire', async () => {
    const text = JSON.stringify(await mapNow());
    expect(text.length).toBeLessThan(36_000);
    expect(gzipSync(text).length).toBeLessThan(9_000);
  });

  it('is answered 304 while nothing has changed, and may be kept for that', async () => {
    const reply = await ask();
    const { etag } = reply.headers;

    expect(await ask('', { 'if-none-match': etag! })).toMatchObject({ status: 304, headers: { etag } });
    expect(sentReply({ status: reply.status, headers: reply.headers }, 'r1').headers['cache-control']).toBe('private, no-cache');

    await drop(3);
    await world.step(5_000);
    expect(await ask('', { 'if-none-match': etag! })).toMatchObject({ status: 200 });
  });

  it('shows a node that drains as leaving, in the word of its status', async () => {
    await world.call('POST', `/api/v1/nodes/${nodeId(3)}/leave`, {});
    await world.step(5_000);
    const { nodes } = await mapNow();

    expect(nodes[2]).toMatchObject({ standing: 'leaving', leaving: 'drain' });
    expect(((await world.call('GET', '/api/v1/status')).body as { zones: object[] }).zones[0]).toMatchObject({
      nodes: { up: 11, leaving: 1 },
    });
    expect((await world.call('GET', `/api/v1/nodes/${nodeId(3)}`)).body).toMatchObject({ status: 'leaving' });
  });
});

describe('a node that was given up and joined again', () => {
  it('counts once, and stands in the map under the index that it has now', async () => {
    const planner = world.environment('sweep');
    await drop(3);
    await world.step(5_000);
    const before = (await mapNow()).nodes[2]!;
    const { index: _left, ...anew } = aNode({ id: nodeId(3), fqdn: nodeFqdn(3), generation: 2, leaseUntil: at(40 * 86_400) });
    await store(planner, nodeRef(nodeId(3)), { ...anew, awaitsPlan: true }, world.now());
    await world.step(5_000);

    expect(before).toMatchObject({ index: 2, standing: 'dropped' });
    const { nodes } = await mapNow();
    expect(nodes.filter(({ node }) => node === nodeId(3))).toMatchObject([{ index: 12, standing: 'up', generation: 2 }]);
    const { zones } = (await world.call('GET', '/api/v1/status')).body as { zones: { nodes: object }[] };
    expect(zones[0]!.nodes).toEqual({ up: 12 });
  });
});

describe('the map since a version', () => {
  it('has the slots that moved, and they lead to the map as it is', async () => {
    const before = await mapNow();
    for (const n of [3, 5]) {
      await drop(n);
      await world.step(5_000);
    }
    const changes = await mapNow(`?since=${before.version}&slots=${slots}`);

    expect(changes.whole).toBeUndefined();
    expect(Buffer.from(changes.moves!, 'base64').length / 8).toBeLessThan(slots / 4);
    const now = await mapNow();
    expect(after(before, changes)).toEqual({ owner: cells(now.whole!.owner), home: cells(now.whole!.home) });
  });

  it('is empty at the present version', async () => {
    const { version } = await mapNow();
    expect(await mapNow(`?since=${version}&slots=${slots}`)).toMatchObject({ version, moves: '' });
  });

  it('is whole for a version that is not known any more, for one to come, and for another number of slots', async () => {
    const { version } = await mapNow();
    await drop(3);
    await world.step(5_000);

    expect((await mapNow(`?since=${version}`)).whole).toBeDefined();
    expect((await mapNow(`?since=${version}&slots=2048`)).whole).toBeDefined();
    expect((await mapNow(`?since=${version + 1_000}&slots=${slots}`)).whole).toBeDefined();
    expect((await mapNow(`?since=${version}&slots=${slots}`)).whole).toBeUndefined();
    await world.step(3 * dayMs);
    expect((await mapNow(`?since=${version}&slots=${slots}`)).whole).toBeDefined();
  });
});
