import { beforeEach, describe, expect, it } from 'vitest';
import type { ZoneName } from '../../../../lib/core/ids.ts';
import { clusterRef, type StorageCluster } from '../../../../lib/mero/clusters/cluster.ts';
import { readCluster } from '../../../../lib/mero/clusters/reads/cluster.ts';
import { planEnding } from '../../../../lib/mero/loads/plan.ts';
import { groundOf } from '../../../../lib/mero/loads/reads.ts';
import { clusterPartition, keyOf } from '../../../../lib/ports/table/keys.ts';
import type { Change } from '../../../../lib/ports/table/table.ts';
import { applyPlan } from '../../../../lib/runtime/apply-plan.ts';
import { aShell, type TestShell } from '../../../../tools/support/a-shell.ts';
import { adminCall } from '../../../../tools/support/admin-call.ts';
import { fabricatedFacts } from '../../../../tools/support/facts/fabricated.ts';
import { aStorageZone, dump, goodFacts, load } from '../../../../tools/support/loading.ts';
import { asOperator } from '../../../../tools/support/operator.ts';
import { justBefore } from '../../../support/just-before.ts';

let shell: TestShell;
let zone: ZoneName;
beforeEach(async () => {
  shell = aShell();
  zone = await aStorageZone(shell);
});
const some = goodFacts(fabricatedFacts({ servers: 12, devicesEach: 30 }));
const clusterRow = async () => (await shell.table.read(keyOf(clusterRef(zone))))!;
const cluster = async () => (await clusterRow()).body as StorageCluster;
const rows = async () => (await shell.table.query({ pk: clusterPartition(zone), limit: 10_000 })).items.filter(({ gone }) => !gone);

describe('facts that are loaded', () => {
  it('are the cluster: its hosts, processes and devices have the fids that the file expands to', async () => {
    expect(await load(shell, zone, some.cut)).toMatchObject({ wasThere: false });
    const now = (await readCluster(shell, zone))!;
    expect(now.cluster.loaded!.size).toEqual({ nodes: 12, processes: 26, services: 52 + 24, devices: 360 });
    expect(now.processes.map(({ fid }) => fid)).toEqual(some.expansion.nodes.flatMap(({ processes }) => processes.map(({ fid }) => fid)));
    expect(now.processes.every((process) => process.state.is === 'unknown' && process.start === 0)).toBe(true);
    expect(now.cluster.profile).toBe(some.expansion.profiles[0]!.fid);
    expect((await clusterRow()).events.map(({ type, data }) => [type, data])).toEqual([
      ['cluster.loaded', { zone, load: now.cluster.loaded!.load, ...now.cluster.loaded!.size }],
    ]);
  });

  it('are not begun in a zone that was deleted a moment ago, as a door remembers it', async () => {
    expect((await adminCall({ ...shell, caches: new Map() }, `zones/${zone}/delete`, asOperator, {})).status).toBe(200);
    const before = await rows();
    const asked = { identity: some.cut.identity, size: some.cut.size };
    expect(await adminCall(shell, `zones/${zone}/mero/loads`, asOperator, asked)).toMatchObject({ status: 404, problem: 'unknown-zone' });
    expect(await rows()).toEqual(before);
  });

  it('are there for nobody before the last call, and then all at once', async () => {
    const seen: number[] = [];
    await load(shell, zone, some.cut, () => void readCluster(shell, zone).then((now) => seen.push(now!.processes.length)));
    expect(new Set(seen)).toEqual(new Set([0]));
    expect(seen.length).toBeGreaterThan(3);
    expect((await readCluster(shell, zone))!.processes).toHaveLength(26);
    for (const { body } of await rows()) expect([undefined, (await cluster()).loaded!.load]).toContain((body as { load?: string }).load);
  });

  it('go on where they were when the command died, at whichever call', async () => {
    for (let dies = 1; ; dies++) {
      shell = aShell();
      zone = await aStorageZone(shell);
      let died = false;
      const before = (call: number) => {
        if (call !== dies) return;
        died = true;
        throw new Error('the command died');
      };
      await load(shell, zone, some.cut, before).catch(() => undefined);
      if (!died) break;
      expect((await readCluster(shell, zone))!.processes).toEqual([]);
      const sent: number[] = [];
      expect(await load(shell, zone, some.cut, (call) => void sent.push(call))).toMatchObject({ wasThere: false });
      // Whatever was handed in whole is not sent again.
      expect(sent.length).toBeLessThanOrEqual(some.cut.pages.length + some.cut.servers.length + 2 - Math.max(0, dies - 5));
      expect((await readCluster(shell, zone))!.processes).toHaveLength(26);
      expect((await cluster()).loaded!.size.devices).toBe(360);
    }
  });

  it('are loaded already when they are loaded again, and nothing is written', async () => {
    await load(shell, zone, some.cut);
    const before = shell.table.meter.rowsWritten;
    expect(await load(shell, zone, some.cut)).toEqual({ load: (await cluster()).loaded!.load, wasThere: true });
    expect(shell.table.meter.rowsWritten).toBe(before);
  });

  it('are refused beside others, and while others are under way', async () => {
    const others = goodFacts(fabricatedFacts({ servers: 2, devicesEach: 1 })).cut;
    const dies = (call: number) => {
      if (call === 3) throw new Error('died');
    };
    await expect(load(shell, zone, others, dies)).rejects.toThrow();
    await expect(load(shell, zone, some.cut)).rejects.toMatchObject({
      problem: 'not-yet',
      message: expect.stringContaining('of other facts is under way'),
    });
    await load(shell, zone, others);
    await expect(load(shell, zone, some.cut)).rejects.toMatchObject({ problem: 'other-facts' });
  });

  it('can be given up, and others loaded then over what was handed in', async () => {
    const dies = (call: number) => {
      if (call === some.cut.pages.length + some.cut.servers.length + 2) throw new Error('died');
    };
    await expect(load(shell, zone, some.cut, dies)).rejects.toThrow();
    const { body } = await begin(some.cut);
    expect(await giveUp(String(body['load']))).toMatchObject({ status: 200 });
    expect(await giveUp(String(body['load']))).toMatchObject({ status: 404, problem: 'unknown-load' });
    const others = goodFacts(fabricatedFacts({ servers: 3, devicesEach: 5 }));
    await load(shell, zone, others.cut);
    const now = (await readCluster(shell, zone))!;
    expect([now.meroNodes.size, now.processes.length]).toEqual([3, 7]);
    // No number is given twice: those of the load before are nobody's for ever.
    expect(now.processes[0]!.fid).not.toBe(others.expansion.nodes[0]!.processes[0]!.fid);
  });
});

const begin = ({ identity, size }: typeof some.cut) => adminCall(shell, `zones/${zone}/mero/loads`, asOperator, { identity, size });
const giveUp = (id: string) => adminCall(shell, `zones/${zone}/mero/loads/${id}`, asOperator, undefined, 'DELETE');
const finish = (id: string) => adminCall(shell, `zones/${zone}/mero/loads/${id}/finish`, asOperator, {});
const putServers = (id: string, n: number, servers: unknown) =>
  adminCall(shell, `zones/${zone}/mero/loads/${id}/servers/${n}`, asOperator, { servers }, 'PUT');
const putPage = (id: string, n: number, page: unknown) =>
  adminCall(shell, `zones/${zone}/mero/loads/${id}/layout/${n}`, asOperator, { page }, 'PUT');

const isFlip = (changes: readonly Change[]): boolean =>
  changes.some((change) => 'put' in change && (change.put.body as Partial<StorageCluster>).loaded !== undefined);

describe('a load that is not as it should be', () => {
  it('is not finished while a part is missing, and is once it is there', async () => {
    const id = String((await begin(some.cut)).body['load']);
    expect((await finish(id)).body['detail']).toContain('0 of 12 nodes were handed in; 0 of 26 processes were handed in');
    for (const [n, page] of some.cut.pages.entries()) expect((await putPage(id, n, page)).status).toBe(200);
    for (const [n, part] of some.cut.servers.entries()) expect((await putServers(id, n, part)).status).toBe(200);
    expect((await finish(id)).status).toBe(200);
    expect((await finish(id)).body).toEqual({ done: true, because: 'the facts are loaded' });
  });

  it('is refused with what is wrong in it, each with its pointer', async () => {
    const id = String((await begin(some.cut)).body['load']);
    const [first] = some.cut.servers[0]!;
    const server = first!.server;
    const twice = { ...server.m0h_processes[0]!, m0p_services: server.m0h_processes[2]!.m0p_services };
    const bad = [{ ...first, server: { ...server, m0h_processes: [...server.m0h_processes, twice] } }];
    const { status, body } = await putServers(id, 0, bad);
    expect(status).toBe(422);
    expect((body['errors'] as unknown as { pointer: string; detail: string }[])[0]).toEqual({
      pointer: '/servers/0/server/m0h_processes/3/m0p_services/1/m0s_devices/0/m0d_wwn',
      detail: expect.stringContaining('is under two services'),
    });
    expect((await putServers(id, 0, [{ ...first, next: 1 }])).status).toBe(422);
    expect((await putServers(id, 0, [{ ...first, at: 9_000, next: 9_001 }])).status).toBe(422);
    expect((await rows()).filter(({ key }) => /^(node|process|endpoint)#/.test(key.sk))).toEqual([]);
  });

  it('holds no password: only the name of one is taken', async () => {
    const id = String((await begin(some.cut)).body['load']);
    const page = structuredClone(some.cut.pages[1]!) as { places: { enclosure: { bmc: { bmc_pass: unknown }[] } }[] };
    page.places[0]!.enclosure.bmc[0]!.bmc_pass = 'top secret';
    const { status, body } = await putPage(id, 1, page);
    expect([status, JSON.stringify(body).includes('top secret')]).toEqual([422, false]);
    expect(JSON.stringify(await rows())).not.toContain('top secret');
  });

  it('is refused when a part says otherwise than before, and written once when it says the same', async () => {
    const id = String((await begin(some.cut)).body['load']);
    const part = some.cut.servers[0]!;
    await putServers(id, 0, part);
    const before = shell.table.meter.rowsWritten;
    expect((await putServers(id, 0, part)).body).toEqual({ done: true, because: 'the servers were handed in before' });
    expect(shell.table.meter.rowsWritten).toBe(before);
    // The same rows by another part write nothing but that they are there.
    await putServers(id, 7, part);
    expect(shell.table.meter.rowsWritten).toBe(before + 1);
    const other = structuredClone(part);
    other[0]!.server.m0h_processes[0]!.m0p_cores = [1];
    expect((await putServers(id, 0, other)).body['detail']).toContain('part 0 was handed in before with other content');
    expect((await putServers(id, 8, other)).body['detail']).toContain('was handed in before with other content');
  });

  it.each<[string, (page: { devices: string[] }) => void, string]>([
    [
      'refers to a device that there is not',
      ({ devices }) => void devices.push('wwn-none'),
      'pool tier1 refers to the device wwn-none, which does not exist',
    ],
    ['refers to a device twice', ({ devices }) => void devices.push(devices[0]!), 'twice'],
    ['is narrower than N + 2K', ({ devices }) => void devices.splice(1), 'devices (N + 2K), and has 1'],
  ])('is not finished when a pool %s', async (_how, change, says) => {
    const id = String((await begin(some.cut)).body['load']);
    for (const [n, page] of some.cut.pages.entries()) {
      const changed = structuredClone(page);
      if (changed.of === 'pool') change(changed);
      await putPage(id, n, changed);
    }
    for (const [n, part] of some.cut.servers.entries()) await putServers(id, n, part);
    expect((await finish(id)).body['detail']).toContain(says);
    expect((await cluster()).loaded).toBeUndefined();
  });

  it('is not finished while hosts have Halon roles that the zone does not have', async () => {
    const strange = goodFacts(JSON.parse(JSON.stringify(fabricatedFacts({ servers: 2, devicesEach: 6 })).replaceAll('"ssu"', '"ssv"'))).cut;
    await expect(load(shell, zone, strange)).rejects.toThrow(
      'id_sites[0].site_racks[0].rack_enclosures[0].enc_hosts[1].h_halon.roles[0].name: there is no Halon role ssv; did you mean ssu?',
    );
    await adminCall(shell, `zones/${zone}/halon/roles/ssv`, asOperator, { station: false, services: [] }, 'PUT');
    expect(await load(shell, zone, strange)).toMatchObject({ wasThere: false });
  });

  it('is not finished when devices of two hosts have the same WWN or serial, or two processes the same endpoint', async () => {
    const id = String((await begin(some.cut)).body['load']);
    const copied = structuredClone(some.cut.servers);
    const [here, there] = [copied[0]![0]!, copied[1]![0]!];
    const deviceOf = (part: typeof here) => part.server.m0h_processes.at(-1)!.m0p_services[1]!.m0s_devices![0]!;
    deviceOf(there).m0d_wwn = deviceOf(here).m0d_wwn;
    deviceOf(there).m0d_serial = deviceOf(here).m0d_serial;
    for (const [n, part] of copied.entries()) expect((await putServers(id, n, part)).status).toBe(200);
    expect((await finish(id)).body['detail']).toMatch(/WWN \S+ is there twice; the device with the serial \S+ is there twice/);
    const clash = structuredClone(some.cut.servers.at(-1)!);
    clash[0]!.server.m0h_processes[0]!.m0p_endpoint = here.server.m0h_processes[0]!.m0p_endpoint;
    clash[0]!.next += 500;
    clash[0]!.at += 500;
    expect((await putServers(id, 99, clash)).status).not.toBe(200);
  });

  it('is not the cluster once a part has come after it was looked at, also while somebody else finishes it', async () => {
    const id = String((await begin(some.cut)).body['load']);
    for (const [n, page] of some.cut.pages.entries()) await putPage(id, n, page);
    for (const [n, part] of some.cut.servers.entries()) await putServers(id, n, part);
    const stranger = { ...some.cut.servers[0]![0]!, server: { m0h_fqdn: 'ssu99.storage.acme.org', m0h_processes: [] } };
    justBefore(shell, isFlip, async () => {
      await begin(some.cut);
      expect((await putServers(id, some.cut.servers.length, [stranger])).status).toBe(200);
      await applyPlan(shell, { id: 'another' }, async (reading) => {
        const ground = await groundOf(reading, zone, shell);
        return planEnding(ground, ground.load.state!);
      });
    });
    expect(await finish(id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('begun again meanwhile') } });
    expect((await finish(id)).body['detail']).toContain('13 of 12 nodes were handed in');
    expect((await cluster()).loaded).toBeUndefined();
  });
});

describe('what is dumped', () => {
  it('loads into another zone, which is then made of the same', async () => {
    await load(shell, zone, some.cut);
    const dumped = goodFacts(await dump(shell, zone));
    expect(dumped.facts).toEqual(some.facts);
    const other = await aStorageZone(shell, 'tier2');
    await load(shell, other, dumped.cut);
    expect((await readCluster(shell, other))!.cluster.loaded!.identity).toBe((await cluster()).loaded!.identity);
  });

  it('has what was added since, each process by itself, and loads with it', async () => {
    await load(shell, zone, some.cut);
    const host = 'ssu3.storage.acme.org';
    const added = await adminCall(shell, `zones/${zone}/mero/processes`, asOperator, {
      node: host,
      roles: ['s3server'],
      set: { multiplicity: 3 },
    });
    expect(added.status).toBe(201);
    const dumped = goodFacts(await dump(shell, zone));
    const server = dumped.facts.id_m0_servers.find(({ m0h_fqdn }) => m0h_fqdn === host)!;
    expect(server.m0h_processes.map(({ m0p_type, m0p_multiplicity }) => [m0p_type.tag, m0p_multiplicity])).toEqual([
      ['PLHalon', undefined],
      ['PLM0d', undefined],
      ...Array(3).fill(['PLClovis', undefined]),
    ]);
    const other = await aStorageZone(shell, 'tier2');
    await load(shell, other, dumped.cut);
    const [here, there] = await Promise.all([dump(shell, zone), dump(shell, other)]);
    expect(there).toEqual(here);
  });

  it('is nothing before facts are loaded', async () => {
    await expect(dump(shell, zone)).rejects.toMatchObject({ problem: 'refused' });
  });
});

describe('a sync', () => {
  it('has every agent read again what it is to run, also before there are facts when forced', async () => {
    const sync = (body: object) => adminCall(shell, `zones/${zone}/mero/sync`, asOperator, body);
    expect(await sync({})).toMatchObject({ status: 409, problem: 'refused' });
    expect(await sync({ force: true })).toMatchObject({ status: 202 });
    expect((await cluster()).goals).toBe(1);
    await load(shell, zone, some.cut);
    await sync({});
    expect((await cluster()).goals).toBe(3);
  });
});

describe('two commands at once', () => {
  it('load the same facts once: one of them at the most has to be called again', async () => {
    const both = await Promise.allSettled([load(shell, zone, some.cut), load(shell, zone, some.cut)]);
    const failed = both.flatMap((one) => (one.status === 'rejected' ? [one.reason as { problem: string }] : []));
    expect(failed.map(({ problem }) => problem).filter((problem) => problem !== 'refused')).toEqual([]);
    expect(failed.length).toBeLessThan(2);
    expect((await readCluster(shell, zone))!.processes).toHaveLength(26);
    expect(await load(shell, zone, some.cut)).toMatchObject({ wasThere: true });
  });

  it('do not load two different files: one is the cluster, whole, and the other is refused', async () => {
    const others = goodFacts(fabricatedFacts({ servers: 5, devicesEach: 3 })).cut;
    const both = await Promise.allSettled([load(shell, zone, some.cut), load(shell, zone, others)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const now = (await readCluster(shell, zone))!;
    const won = both[0]!.status === 'fulfilled' ? some.cut : others;
    expect([now.cluster.loaded!.identity, now.processes.length]).toEqual([won.identity, won.size.processes]);
  });
});
