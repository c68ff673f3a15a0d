import { beforeEach, describe, expect, it } from 'vitest';
import admin from '../../../../functions/admin.ts';
import { write } from '../../../../lib/core/decision.ts';
import { fidOf } from '../../../../lib/core/fid.ts';
import { minuteMs } from '../../../../lib/core/time.ts';
import type { StorageCluster } from '../../../../lib/mero/clusters/cluster.ts';
import { meroNodeId } from '../../../../lib/mero/nodes/mero-node.ts';
import type { MeroProcess, ProcessState } from '../../../../lib/mero/processes/process.ts';
import type { MeroNodeView, MeroProcessView, ProcessConfiguration } from '../../../../lib/mero/processes/routes.ts';
import { clusterPartition, keyOf } from '../../../../lib/ports/table/keys.ts';
import { applyPlan } from '../../../../lib/runtime/apply-plan.ts';
import { aRequest } from '../../../../tools/support/a-request.ts';
import { committing } from '../../../../tools/support/a-shell.ts';
import { asOperator } from '../../../../tools/support/operator.ts';
import { type Agent, Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { aStorageZone, type StorageZone } from '../../../support/a-storage-zone.ts';

let world: World;
let lab: StorageZone;
let ssu1: Agent;
beforeEach(async () => {
  world = await stepped();
  lab = await aStorageZone(world);
  ssu1 = await lab.host('ssu1.acme.org');
});

type Reply = {
  readonly done: boolean;
  readonly because: string;
  readonly node: { fid: string; isNew: boolean };
  readonly processes: ProcessConfiguration[];
};
const post = async (path: string, body: unknown = {}) => {
  const { status, body: said } = await lab.call('POST', path, body);
  return { status, ...(said as Reply & { type?: string; detail?: string; gone: string[]; stopping: string[]; nodeGone: boolean }) };
};
const add = (role: string, set: object = {}, more: object = {}) =>
  post('mero/processes', { node: 'ssu1.acme.org', roles: [role], set, ...more });
const got = async (fid: string) => (await lab.call('GET', `mero/processes/${fid}`)).body as MeroProcessView;
const node = async (name = 'ssu1.acme.org') => (await lab.call('GET', `mero/nodes/${name}`)).body as MeroNodeView;
/** Halon's own process, which came with the first of the host. */
const halonOf = async () => (await node()).processes.find(({ role }) => role === 'ha')!.fid;
const rowsOf = (kind: string) =>
  [...world.table.rows.values()].filter(({ key, gone }) => key.pk === clusterPartition('lab') && key.sk.startsWith(`${kind}#`) && !gone);
const published = (type: string) => world.bus.published.filter((event) => event.type === type).map(({ data }) => data);
const desiredOf = (agent: Agent) => world.table.read(keyOf({ noun: 'desired', id: agent.id }));

/** Puts a row as something else left it: what a process does, or what the cluster wants. */
async function as<S extends object>(noun: string, id: string, change: Partial<S>): Promise<void> {
  const ref = { noun, id };
  await applyPlan(world.environment('admin'), { id: `test ${JSON.stringify(change)}` }, async (reading) => {
    const row = (await reading.row(ref))!;
    const keeps = row.wakeAt !== undefined && { wakeAt: row.wakeAt };
    return {
      because: ['a test'],
      changes: [{ ref, readRev: row.rev, decision: { ...write({ ...(row.body as S), ...change }, 'a test'), ...keeps } }],
    };
  });
}
const becomes = (fid: string, state: ProcessState) => as<MeroProcess>('process', `lab/${fid}`, { state });
const runs = () => as<StorageCluster>('cluster', 'lab', { disposition: 'ONLINE', level: 3 });
const first = async (role: string, state: ProcessState = { is: 'online' }, set: object = {}): Promise<string> => {
  const fid = (await add(role, set)).processes[0]!.process;
  await becomes(fid, state);
  return fid;
};

describe('process add', () => {
  it('adds a process to a host that called in a minute ago, with its Mero node, and answers its configuration (reference 32)', async () => {
    const added = await add('m0t1fs');

    expect(added).toMatchObject({ status: 201, done: true, node: { isNew: true } });
    const [one] = added.processes;
    expect(one!.variables.map(({ name, value }) => `${name}=${value}`)).toEqual([
      'MERO_M0T1FS_EP=192.0.2.1@tcp:12345:41:301',
      'MERO_HA_EP=192.0.2.1@tcp:12345:34:101',
      `MERO_PROCESS_FID=${one!.process}`,
    ]);
    expect((await lab.call('GET', `mero/processes/${one!.process}/configuration`)).body).toEqual(one);
    expect(await got(one!.process)).toMatchObject({ state: 'offline', managed: true, role: 'm0t1fs', goal: 'stop' });
    expect(await node()).toMatchObject({
      host: 'ssu1.acme.org',
      lnid: '192.0.2.1@tcp',
      node: { id: ssu1.id, status: 'up' },
      processes: [{ fid: one!.process }, { role: 'ha', endpoint: '192.0.2.1@tcp:12345:34:101' }],
    });
    await world.step(0);
    expect([published('cluster.node-added'), published('process.added')]).toEqual([
      [{ zone: 'lab', node: added.node.fid, host: 'ssu1.acme.org' }],
      [
        {
          zone: 'lab',
          process: one!.process,
          host: 'ssu1.acme.org',
          endpoint: '192.0.2.1@tcp:12345:41:301',
          managed: true,
          role: 'm0t1fs',
        },
        expect.objectContaining({ role: 'ha', managed: false }),
      ],
    ]);
  });

  it('tells the agent of the host, in the same commit', async () => {
    const before = (await desiredOf(ssu1))?.rev ?? 0;

    await add('clovis-app', { multiplicity: 3 });

    expect((await desiredOf(ssu1))!.rev).toBe(before + 1);
    expect(rowsOf('process')).toHaveLength(4);
    expect(rowsOf('endpoint')).toHaveLength(4);
  });

  it('finds the host by the fid of its Mero node and by the id of its node as by its name, and adds to what is there', async () => {
    const { node: made } = await add('m0t1fs');

    expect(await post('mero/processes', { node: made.fid, roles: ['m0t1fs'] })).toMatchObject({
      status: 201,
      node: { fid: made.fid, isNew: false },
    });
    expect(await post('mero/processes', { node: ssu1.id, roles: ['m0t1fs'] })).toMatchObject({ status: 201, node: { isNew: false } });
    expect((await node()).processes.map(({ endpoint }) => endpoint.split(':').at(-1))).toEqual(['301', '101', '302', '303']);
  });

  it('adds several roles at once, all or none', async () => {
    expect((await post('mero/processes', { node: 'ssu1.acme.org', roles: ['ha', 'confd', 'storage'] })).processes).toHaveLength(3);

    const before = rowsOf('process').length;
    expect(await post('mero/processes', { node: 'ssu1.acme.org', roles: ['m0t1fs', 's3server'], set: { multiplicity: 20 } })).toMatchObject(
      {
        status: 409,
        detail: 'role s3server: the range 8081 to 8099 of MERO_S3SERVER_PORT is used up on ssu1.acme.org',
      },
    );
    expect(rowsOf('process')).toHaveLength(before);
  });

  it('says what a dry run would add, and adds nothing', async () => {
    const dry = await add('clovis-app', { multiplicity: 2 }, { dryRun: true });

    expect(dry).toMatchObject({ status: 200, done: false });
    expect(dry.processes).toHaveLength(3);
    expect(rowsOf('process')).toEqual([]);
    expect((await add('clovis-app', { multiplicity: 2 })).processes).toEqual(dry.processes);
  });

  it('gives no two processes that are added at once an endpoint or a fid', async () => {
    await lab.host('ssu2.acme.org');
    const hosts = ['ssu1.acme.org', 'ssu2.acme.org'];

    // All hosts of this world call in from the same address.
    const all = await Promise.all(
      hosts.map((host) => post('mero/processes', { node: host, roles: ['clovis-app'], set: { multiplicity: 5 } })),
    );

    expect(all.map(({ status }) => status)).toEqual([201, 201]);
    const rows = rowsOf('process').map(({ body }) => body as MeroProcess);
    expect(new Set(rows.map(({ endpoint }) => endpoint)).size).toBe(12);
    expect(new Set(rows.flatMap(({ fid, services }) => [fid, ...services.map((service) => service.fid)])).size).toBe(26);
  });

  it('adds once what is asked for twice under one Idempotency-Key, and answers it twice', async () => {
    const twice = () =>
      world.call(
        'POST',
        '/api/v1/zones/lab/mero/processes',
        { node: 'ssu1.acme.org', roles: ['m0t1fs'] },
        { 'idempotency-key': 'patch-tuesday' },
      );

    expect(await twice()).toEqual(await twice());
    expect(rowsOf('process')).toHaveLength(2);
  });

  it('adds once under one Idempotency-Key also when the door dies before it answers', async () => {
    const headers = { ...asOperator, 'content-type': 'application/json', 'idempotency-key': 'patch-tuesday' };
    const body = JSON.stringify({ node: 'ssu1.acme.org', roles: ['m0t1fs'] });
    const request = aRequest({ method: 'POST', path: '/api/v1/zones/lab/mero/processes', body, headers });
    let isDead = false;
    const dying = committing(world.environment('admin'), async (stored, changes) => {
      if (isDead) throw new Error('killed');
      await stored(changes);
      isDead = rowsOf('process').length > 0;
      if (isDead) throw new Error('killed');
    });

    expect(await admin.handle(request, dying)).toMatchObject({ status: 500 });
    await world.step(minuteMs);
    expect(await admin.handle(request, world.environment('admin'))).toMatchObject({ status: 201 });
    expect(rowsOf('process')).toHaveLength(2);
  });

  it('is put down to whoever asked, in the audit of the zone', async () => {
    await add('m0t1fs');
    await world.step(0);

    const { items } = (await world.call('GET', '/api/v1/audit?zone=lab')).body as { items: { because: string; who: string }[] };
    const [entry] = items.filter(({ because }) => because === 'added by role m0t1fs on ssu1.acme.org');
    expect(entry).toMatchObject({ who: 'operator' });
  });

  it('is refused for a host that nobody knows in the zone, for a role that there is not, and for the fid of anything else', async () => {
    expect(await post('mero/processes', { node: 'ssu9.acme.org', roles: ['m0t1fs'] })).toMatchObject({
      status: 404,
      type: 'urn:muster:problem:unknown-node',
    });
    expect(await add('m0t1')).toMatchObject({
      status: 404,
      type: 'urn:muster:problem:unknown-role',
      detail: expect.stringContaining('there are ha, confd'),
    });
    expect(await post('mero/processes', { node: fidOf('service', 3), roles: ['m0t1fs'] })).toMatchObject({
      status: 422,
      detail: 'Requested fid is not a node fid: 0x7300000000000001:0x3 is that of a service',
    });
    await post('../../nodes/x', {});
    expect(rowsOf('process')).toEqual([]);
  });

  it('frees the endpoint of a removed process for the next, and never its fid', async () => {
    const fid = await first('m0t1fs', { is: 'offline' });
    await post(`mero/processes/${fid}/remove`);

    const again = (await add('m0t1fs')).processes[0]!;

    expect(again.variables[0]!.value).toBe('192.0.2.1@tcp:12345:41:301');
    expect(again.process).not.toBe(fid);
  });
});

describe('process start and stop', () => {
  it('want it started once more, and stopped until then', async () => {
    await runs();
    const fid = await first('m0t1fs', { is: 'online' });

    expect(await post(`mero/processes/${fid}/stop`)).toMatchObject({ status: 202, done: true });
    expect(await post(`mero/processes/${fid}/stop`)).toMatchObject({ status: 202, done: false });
    expect(await got(fid)).toMatchObject({ state: 'quiescing', goal: 'stop', stopped: true });
    await becomes(fid, { is: 'offline' });
    expect(await post(`mero/processes/${fid}/start`)).toMatchObject({ status: 202, done: true });
    expect(await got(fid)).toMatchObject({ goal: 'run', start: 2 });
  });

  it('are refused in the words of the original, and of a fid of anything else or of no process', async () => {
    const fid = await first('clovis-app', { is: 'online' }, { multiplicity: 1 });

    expect(await post(`mero/processes/${fid}/start`)).toMatchObject({ status: 409, detail: 'Cluster disposition is offline' });
    expect(await post(`mero/processes/${fid}/stop`)).toMatchObject({
      status: 409,
      detail: `${fid} is unmanaged: Muster cannot stop it, only its owner can`,
    });
    expect(await post(`mero/processes/${fidOf('process', 999)}/start`)).toMatchObject({
      status: 404,
      type: 'urn:muster:problem:unknown-process',
    });
    expect(await post(`mero/processes/${fidOf('device', 3)}/start`)).toMatchObject({
      status: 422,
      detail: `${fidOf('device', 3)} is the fid of a device, not of a process`,
    });
  });

  it('would lose the quorum: refused, and done when forced (reference 39)', async () => {
    await runs();
    const fid = await first('confd');

    expect(await post(`mero/processes/${fid}/stop`)).toMatchObject({
      status: 409,
      detail: expect.stringContaining('Quorum would be lost.'),
    });
    expect(await post(`mero/processes/${fid}/stop`, { force: true })).toMatchObject({ status: 202, done: true });
  });
});

describe('process remove', () => {
  it('removes an unmanaged one that is offline or failed, and is refused while it runs (reference 33)', async () => {
    const fid = await first('clovis-app', { is: 'online' }, { multiplicity: 1 });

    expect(await post(`mero/processes/${fid}/remove`)).toMatchObject({
      status: 409,
      detail: `${fid} is unmanaged and online: remove it once it is offline or failed`,
    });
    await becomes(fid, { is: 'failed', reason: 'it ended' });
    expect(await post(`mero/processes/${fid}/remove`, { dryRun: true })).toMatchObject({ done: false, gone: [fid] });
    expect(await post(`mero/processes/${fid}/remove`)).toMatchObject({ status: 202, done: true, gone: [fid], stopping: [] });
    expect((await lab.call('GET', `mero/processes/${fid}`)).status).toBe(404);
    expect([rowsOf('process'), rowsOf('endpoint')].map((rows) => rows.length)).toEqual([1, 1]);
    expect((await node()).processes).toMatchObject([{ role: 'ha' }]);
    await world.step(0);
    expect(published('process.removed')).toEqual([{ zone: 'lab', process: fid, host: 'ssu1.acme.org' }]);
  });

  it('stops a managed one first, and removes it when it has stopped', async () => {
    await runs();
    const fid = await first('m0t1fs');

    expect(await post(`mero/processes/${fid}/remove`)).toMatchObject({ done: true, gone: [], stopping: [fid] });
    expect(await got(fid)).toMatchObject({ removing: true, goal: 'stop' });
    await world.step(30_000);
    expect((await got(fid)).fid).toBe(fid);
    await becomes(fid, { is: 'offline' });
    await world.step(6_000);

    expect((await lab.call('GET', `mero/processes/${fid}`)).status).toBe(404);
    expect(rowsOf('endpoint')).toHaveLength(1);
    expect((await world.table.read(keyOf({ noun: 'mero-node', id: 'lab/ssu1.acme.org' })))!.wakeAt).toBeUndefined();
  });

  it('takes one that will not stop for failed after its time, and removes it (reference 34)', async () => {
    await runs();
    const fid = await first('m0t1fs');
    await post(`mero/processes/${fid}/remove`);

    await world.step(590_000);
    expect((await got(fid)).fid).toBe(fid);
    await world.step(20_000);

    expect((await lab.call('GET', `mero/processes/${fid}`)).status).toBe(404);
    expect(published('process.failed').at(-1)).toMatchObject({ process: fid, reason: 'stop timeout', retry: false });
  });
});

describe('mero node remove', () => {
  it('removes what has ended, stops the rest first, and goes with the last of them', async () => {
    await runs();
    const [running, ended] = [await first('m0t1fs'), await first('clovis-app', { is: 'offline' }, { multiplicity: 1 })];
    const halon = await halonOf();

    expect(await post('mero/nodes/ssu1.acme.org/remove')).toMatchObject({
      status: 202,
      gone: [ended, halon],
      stopping: [running],
      nodeGone: false,
    });
    expect(await add('m0t1fs')).toMatchObject({ status: 409, detail: 'ssu1.acme.org is being removed' });
    await becomes(running, { is: 'offline' });
    await world.step(6_000);

    expect((await lab.call('GET', 'mero/nodes/ssu1.acme.org')).status).toBe(404);
    expect([rowsOf('process'), rowsOf('endpoint'), rowsOf('node')]).toEqual([[], [], []]);
    expect(published('cluster.node-removed')).toHaveLength(1);
    expect((await ssu1.beat()).status).toBe(200);
  });

  it('is refused with the fids of unmanaged ones that run, and nothing of it is removed (reference 35)', async () => {
    await runs();
    const [running, app] = [await first('m0t1fs'), await first('clovis-app', { is: 'online' }, { multiplicity: 1 })];

    for (const path of ['mero/nodes', 'halon/nodes'])
      expect(await post(`${path}/ssu1.acme.org/remove`)).toMatchObject({
        status: 409,
        detail: `ssu1.acme.org has unmanaged processes that are neither offline nor failed: ${app} (online)`,
      });
    expect(await got(running)).toMatchObject({ state: 'online', goal: 'run' });
    expect((await node()).removing).toBeUndefined();
  });

  it('is looked at every half minute where an unmanaged one has come up since, and goes once that has ended', async () => {
    await runs();
    const [running, app] = [await first('m0t1fs'), await first('clovis-app', { is: 'offline' }, { multiplicity: 1 })];
    expect((await post('mero/nodes/ssu1.acme.org/remove', { dryRun: true })).status).toBe(202);
    const row = async () => (await world.table.read(keyOf({ noun: 'mero-node', id: 'lab/ssu1.acme.org' })))!;
    // It is in use again before the order is carried out.
    const { commit } = world.table;
    let isUsed = false;
    world.table.commit = async (changes) => {
      await commit(changes);
      if (isUsed || !changes.some((one) => 'put' in one && one.put.because.startsWith('an operator removes '))) return;
      isUsed = true;
      await becomes(app, { is: 'online' });
    };
    await post('mero/nodes/ssu1.acme.org/remove');
    await becomes(running, { is: 'offline' });
    await world.step(10_000);
    expect((await row()).body).toMatchObject({ processes: [app] });
    expect((await row()).wakeAt).toBeGreaterThan(world.now());

    await becomes(app, { is: 'offline' });
    await world.step(31_000);
    expect((await lab.call('GET', 'mero/nodes/ssu1.acme.org')).status).toBe(404);
  });

  it('says what a dry run would remove, and removes nothing', async () => {
    await runs();
    const [running, ended] = [await first('m0t1fs'), await first('m0t1fs', { is: 'offline' })];
    const halon = await halonOf();

    expect(await post('mero/nodes/ssu1.acme.org/remove', { dryRun: true })).toMatchObject({
      done: false,
      gone: [halon, ended],
      stopping: [running],
    });
    expect((await node()).stopped).toBeUndefined();
  });
});

describe('mero node stop and start', () => {
  it('keep all of its processes down until it is started', async () => {
    await runs();
    const fid = await first('m0t1fs');

    expect(await post('mero/nodes/ssu1.acme.org/stop')).toMatchObject({ status: 202, done: true });
    expect(await got(fid)).toMatchObject({ state: 'quiescing', goal: 'stop' });
    expect(await post(`mero/processes/${fid}/start`)).toMatchObject({ status: 409 });
    expect(await post('mero/nodes/ssu1.acme.org/start')).toMatchObject({ status: 202, done: true });
    expect(await got(fid)).toMatchObject({ state: 'online', goal: 'run' });
  });

  it('keep the reason that the operator gives, for whoever asks why', async () => {
    await runs();
    await first('m0t1fs');
    expect(await post('mero/nodes/ssu1.acme.org/stop', { reason: 'a new disk' })).toMatchObject({
      because: 'an operator ordered ssu1.acme.org to stop: a new disk',
    });
    const row = await world.table.read(keyOf({ noun: 'mero-node', id: meroNodeId({ zone: 'lab', fqdn: 'ssu1.acme.org' as never }) }));
    expect(row?.because).toBe('an operator ordered ssu1.acme.org to stop: a new disk');
  });
});

describe('halon node remove', () => {
  it('removes the node of the host with its last process: its agent is told so until it is let in again', async () => {
    await first('m0t1fs', { is: 'offline' });

    expect(await post('halon/nodes/ssu1.acme.org/remove')).toMatchObject({ status: 202, done: true, nodeGone: true });

    expect((await ssu1.beat()).body).toMatchObject({ type: 'urn:muster:problem:removed' });
    expect((await ssu1.up()).body).toMatchObject({ type: 'urn:muster:problem:removed' });
    expect(await add('m0t1fs')).toMatchObject({ status: 409, detail: expect.stringContaining('halon node add ssu1.acme.org') });
  });

  it('is refused while client systems wait for that host and no other, naming them, with processes and without', async () => {
    const web = new Daemon(world, 'web1.acme.org');
    await web.knock();
    await world.call('POST', '/api/v1/systems/accept', { systems: [web.fp], zone: 'lab' });
    await world.call('POST', '/api/v1/systems/pin', { systems: [web.fp], node: 'ssu1.acme.org' });
    const detail = expect.stringMatching(/^web1\.acme\.org waits for ssu1\.acme\.org and no other: /);

    expect(await post('halon/nodes/ssu1.acme.org/remove', { dryRun: true })).toMatchObject({ status: 409, detail });
    expect(await post('halon/nodes/ssu1.acme.org/remove')).toMatchObject({ status: 409, detail });
    const fid = await first('m0t1fs', { is: 'offline' });
    expect(await post('halon/nodes/ssu1.acme.org/remove')).toMatchObject({ status: 409, detail });
    expect((await node()).processes).toMatchObject([{ fid }, { role: 'ha' }]);

    // Its Mero node alone holds nobody.
    expect(await post('mero/nodes/ssu1.acme.org/remove')).toMatchObject({ status: 202, nodeGone: true });
    await world.call('POST', '/api/v1/systems/unpin', { systems: [web.fp] });
    expect(await post('halon/nodes/ssu1.acme.org/remove')).toMatchObject({ status: 202, nodeGone: true });
  });

  it('removes the node of a host without processes', async () => {
    expect(await post('halon/nodes/ssu1.acme.org/remove')).toMatchObject({ status: 202, done: true, nodeGone: true });
    expect((await ssu1.beat()).body).toMatchObject({ type: 'urn:muster:problem:removed' });
  });
});
