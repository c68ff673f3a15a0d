import { beforeEach, describe, expect, it } from 'vitest';
import type { ZonePreview } from '../../../../lib/assembly/preview/routes.ts';
import { ZoneName } from '../../../../lib/core/ids.ts';
import { clusterRef } from '../../../../lib/mero/clusters/cluster.ts';
import { meroNodeId, meroNodeRef } from '../../../../lib/mero/nodes/mero-node.ts';
import { type MeroProcess, processId, processRef } from '../../../../lib/mero/processes/process.ts';
import { read } from '../../../../lib/runtime/read.ts';
import { stationsRef } from '../../../../lib/stations/stations.ts';
import { zoneRef } from '../../../../lib/zones/zone.ts';
import { store } from '../../../../tools/support/a-zone-of-nodes.ts';
import { nodeFqdn } from '../../../../tools/support/builders.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { aStorageZone } from '../../../support/a-storage-zone.ts';
import { aCluster, aProcess, hostsOf, processFid, processTypes, serviceFid } from '../../../support/mero.ts';

const zone = ZoneName.parse('lab');
const online = { is: 'online' } as const;
/** Three hosts, each with a confd and an I/O server of four devices; the first two are enough for a quorum. */
const processes: MeroProcess[] = [1, 2, 3].flatMap((n) => [
  aProcess({ n, zone, host: nodeFqdn(n), type: processTypes.confd, state: online }),
  aProcess({ n: n + 10, zone, host: nodeFqdn(n), devices: 4, state: online }),
]);

let world: World;
beforeEach(async () => {
  world = await stepped();
  const lab = await aStorageZone(world);
  for (const n of [1, 2, 3]) await lab.host(nodeFqdn(n));
  await world.step(30_000);
  await store(world, clusterRef(zone), aCluster({ zone, level: 3, reached: 3 }));
  for (const host of hostsOf(processes)) await store(world, meroNodeRef(meroNodeId({ ...host, zone })), { ...host, zone });
  for (const process of processes) await store(world, processRef(processId(process)), process);
});

const preview = async (query: string): Promise<ZonePreview> => {
  const { status, body } = await world.call('GET', `/api/v1/zones/lab/preview?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as ZonePreview;
};

describe('a preview in a storage zone', () => {
  it('names the processes, services and devices that go with a host, and the levels that rest on them', async () => {
    const { storage } = await preview(`lose=${nodeFqdn(3)}`);

    expect(storage).toMatchObject({
      hosts: [nodeFqdn(3)],
      totals: { processes: 2, services: 2, devices: 4 },
      levels: [
        { level: 0, lost: 1, of: 3 },
        { level: 1, lost: 1, of: 3 },
      ],
      level: 3,
      liveness: [],
    });
    expect(storage!.processes).toMatchObject([
      { process: processFid(3), host: nodeFqdn(3), level: 0, services: [{ service: serviceFid(3), type: 'CST_CONFD' }], devices: 0 },
      { process: processFid(13), level: 1, devices: 4 },
    ]);
  });

  it('says that the quorum of confds would be lost with two of three hosts', async () => {
    expect((await preview(`drop=${nodeFqdn(3)}`)).storage!.liveness).toEqual([]);
    const { storage } = await preview(`lose=${nodeFqdn(2)},${nodeFqdn(3)}`);
    expect(storage).toMatchObject({ liveness: ['Quorum would be lost.'], reached: -1 });
  });

  it('says whether a majority of the stations stays', async () => {
    const hosts = [1, 2, 3].map((n) => nodeFqdn(n));
    const { items } = (await world.call('GET', '/api/v1/nodes?zone=lab')).body as { items: { id: string; fqdn: string }[] };
    const leases = Object.fromEntries(items.map(({ id, fqdn }) => [fqdn, { node: id, renewedAt: world.now() }]));
    await store(world, stationsRef(zone), { zone, hosts, named: { at: world.now(), by: 'operator' }, leases, epoch: 1 });
    await store(world, zoneRef(zone), { ...(await read(world, zoneRef(zone))), stations: hosts });

    expect((await preview(`lose=${nodeFqdn(3)}`)).stations).toEqual({ stations: 3, needed: 2, heard: 2, isQuorate: true });
    expect((await preview(`lose=${nodeFqdn(2)},${nodeFqdn(3)}`)).stations).toMatchObject({ heard: 1, isQuorate: false });
  });
});

describe('a preview of the storage alone', () => {
  const ask = (query: string) => world.call('GET', `/api/v1/zones/lab/storage/preview?${query}`);

  it('says of a host what the preview of the zone says of it', async () => {
    const { storage, what } = await preview(`lose=${nodeFqdn(3)}`);
    expect((await ask(`host=${nodeFqdn(3)}`)).body).toEqual({ zone, what, storage });
  });

  it('is of a host that has not joined, too', async () => {
    const host = nodeFqdn(4);
    const more = [aProcess({ n: 4, zone, host, state: online })];
    for (const one of hostsOf(more)) await store(world, meroNodeRef(meroNodeId({ ...one, zone })), { ...one, zone });
    for (const process of more) await store(world, processRef(processId(process)), process);
    expect((await ask(`host=${host}`)).body).toMatchObject({ storage: { hosts: [host], totals: { processes: 1 } } });
  });

  it.each([
    ['host=nobody.acme.org', 404, 'unknown-node'],
    ['rack=9/9', 404, 'unknown-node'],
    ['', 422, 'invalid'],
    ['host=node1.acme.org&site=1', 422, 'invalid'],
  ])('of %s is refused', async (query, status, problem) => {
    const answer = await ask(query);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ type: expect.stringContaining(problem) });
  });

  it('is refused in a zone without storage', async () => {
    await world.call('POST', '/api/v1/zones', { name: 'clients' });
    const { status, body } = await world.call('GET', '/api/v1/zones/clients/storage/preview?site=1');
    expect({ status, body }).toMatchObject({ status: 409, body: { type: expect.stringContaining('not-a-storage-zone') } });
  });
});
