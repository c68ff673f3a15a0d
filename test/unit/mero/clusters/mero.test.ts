import { describe, expect, it } from 'vitest';
import { fidOf } from '../../../../lib/core/fid.ts';
import type { MeroStatus } from '../../../../lib/mero/clusters/routes.ts';
import { adminMeroRoutes } from '../../../../lib/mero/clusters/routes.ts';
import { type MeroProcess, type ProcessState, processId } from '../../../../lib/mero/processes/process.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import type { TestShell } from '../../../../tools/support/a-shell.ts';
import { adminCall } from '../../../../tools/support/admin-call.ts';
import { nodeFqdn, noon } from '../../../../tools/support/builders.ts';
import { asOperator } from '../../../../tools/support/operator.ts';
import { aProcess, processFid, processTypes, serviceFid, storageZone } from '../../../support/mero.ts';
import { aStorageZone, clusterRow, loaded, type Stands, store } from '../../../support/storage-zone.ts';

const services = (n: number, ...types: string[]) => types.map((type, at) => ({ fid: serviceFid(10 * n + at), type }));
const is = (state: Exclude<ProcessState['is'], 'failed'>): { state: ProcessState } => ({ state: { is: state } });
const halon = aProcess({ n: 1, type: processTypes.halon, services: services(1, 'CST_HA', 'CST_RMS') });
const confd = aProcess({ n: 2, type: processTypes.confd, services: services(2, 'CST_CONFD', 'CST_RMS'), ...is('online') });
const ios = aProcess({ n: 3, services: services(3, 'CST_RMS', 'CST_IOS'), devices: 1, ...is('starting') });
const mds = aProcess({ n: 4, services: services(4, 'CST_MDS'), state: { is: 'failed', reason: 'exited with status 1' } });
const app = aProcess({ n: 5, type: processTypes.app, services: services(5, 'CST_RMS'), host: nodeFqdn(2), ...is('online') });
const heard = { node: 'n0000000000000002', incarnation: 1, seq: 1 } as MeroProcess['heard'];
const s3 = aProcess({
  n: 6,
  type: processTypes.s3server,
  services: services(6, 'CST_RMS'),
  host: nodeFqdn(2),
  ...is('online'),
  ...(heard && { heard }),
});
const all = [halon, confd, ios, mds, app, s3];
const underWay = {
  loaded,
  disposition: 'ONLINE' as const,
  level: 1 as const,
  reached: 0 as const,
  principal: serviceFid(21),
  underWaySince: noon,
};
const device = { fid: fidOf('device', 9), wwn: '0x50015', serial: 'S1', path: '/dev/sdb', blockSize: 4096, size: 1e12 };
const devices: Stands['devices'] = [[ios, { services: [{ service: serviceFid(31), devices: [device] }] }]];
const aCluster = (given: object = {}) =>
  aStorageZone({ cluster: underWay, processes: all, nodes: { [nodeFqdn(1)]: 'up', [nodeFqdn(2)]: 'down' }, devices, ...given });

const call = (shell: TestShell, verb = '', body?: object) => adminCall(shell, `zones/${storageZone}/mero${verb}`, asOperator, body);
const status = async (shell: TestShell, query = '') => (await call(shell, query)).body as unknown as MeroStatus;

describe('the status of a storage cluster', () => {
  it('says what is wanted, how far it is, and whom it waits for', async () => {
    const shown = await status(await aCluster(), '?summary=true');
    expect(shown).toEqual({
      zone: 'storage',
      disposition: 'ONLINE',
      coordinator: 'muster',
      level: 1,
      levelSince: new Date(noon).toISOString(),
      reached: 0,
      because: `ONLINE, level 1 of 3: waits for ${ios.fid} on node1.acme.org (starting), ${mds.fid} on node1.acme.org (failed)`,
      underWay: { since: new Date(noon).toISOString(), late: false },
      waitingFor: [
        { process: ios.fid, host: 'node1.acme.org', state: 'starting' },
        { process: mds.fid, host: 'node1.acme.org', state: 'failed' },
      ],
      waiting: 2,
      managed: { all: 4, online: 1, running: 2 },
      unheard: 1,
      loaded: { load: 'l1', at: new Date(noon).toISOString(), ...loaded.size },
      principal: serviceFid(21),
      pools: [],
      profiles: [],
    });
    expect(adminMeroRoutes.meroStatus.reply!.safeParse(shown).success).toBe(true);
  });

  it('shows hosts by their nodes, processes with these taken in, and what hangs on them', async () => {
    const shown = await status(await aCluster({ stopped: [nodeFqdn(2)] }));
    expect(adminMeroRoutes.meroStatus.reply!.safeParse(shown).success).toBe(true);
    expect(shown.hosts!.map(({ host, state, extended, status: of }) => [host, state, extended, of])).toEqual([
      ['node1.acme.org', 'online', undefined, 'up'],
      ['node2.acme.org', 'failed', 'failed (recoverable), stopped by an operator', 'down'],
    ]);
    expect(shown.hosts!.flatMap(({ processes }) => processes.map(({ type, state, extended }) => [type, state, extended]))).toEqual([
      ['halon', 'online', undefined],
      ['confd', 'online', undefined],
      ['ioservice', 'starting', undefined],
      ['mdservice', 'failed', 'failed: exited with status 1'],
      ['clovis-app', 'inhibited', 'inhibited (online)'],
      ['s3server', 'inhibited', 'inhibited (online)'],
    ]);
    expect(shown.hosts![0]!.processes[1]).toEqual({
      fid: confd.fid,
      state: 'online',
      endpoint: confd.endpoint,
      type: 'confd',
      services: [
        { fid: serviceFid(20), state: 'online', type: 'CST_CONFD' },
        { fid: serviceFid(21), state: 'online', type: 'CST_RMS' },
      ],
    });
  });

  it('shows devices to whoever asks for them', async () => {
    const shell = await aCluster();
    const iosIn = async (query: string) => (await status(shell, query)).hosts![0]!.processes[2]!.services[1];
    expect(await iosIn('')).not.toHaveProperty('devices');
    expect(await iosIn('?devices=true')).toMatchObject({
      devices: [{ fid: device.fid, state: 'online', path: '/dev/sdb', wwn: '0x50015' }],
    });
  });

  it('comes in pages of hosts, each of which says all of the whole', async () => {
    const shell = await aCluster();
    const first = await status(shell, '?limit=1');
    const second = await status(shell, `?limit=1&cursor=${encodeURIComponent(first.next!)}`);
    expect([first, second].map(({ hosts }) => hosts!.map(({ host }) => host))).toEqual([['node1.acme.org'], ['node2.acme.org']]);
    expect(second).toMatchObject({ waiting: 2, level: 1 });
    expect(second).not.toHaveProperty('next');
    expect(await call(shell, '?cursor=none')).toMatchObject({ status: 400, problem: 'bad-cursor' });
  });

  it('says how far it is now, whenever that was looked at last, and nothing of what a look will decide', async () => {
    const { underWaySince: _since, principal: _principal, ...calm } = underWay;
    const shown = await status(await aCluster({ cluster: { ...calm, level: 3, reached: 3 } }), '?summary=true');

    expect(shown).toMatchObject({ level: 3, reached: 0, underWay: { since: new Date(noon).toISOString() }, waiting: 3 });
    expect(shown.principal).toBeUndefined();
  });

  it('says so when nothing is loaded, and when a step takes too long', async () => {
    expect(await status(await aStorageZone({}))).toMatchObject({ disposition: 'OFFLINE', level: -1, hosts: [], waiting: 0 });
    const shell = await aCluster();
    shell.step(600_000);
    expect((await status(shell)).underWay).toEqual({ since: new Date(noon).toISOString(), late: true });
  });

  it('is none of a zone of another kind', async () => {
    const shell = await aStorageZone({});
    await adminCall(shell, 'zones', asOperator, { name: 'emea' });
    expect(await adminCall(shell, 'zones/emea/mero', asOperator)).toMatchObject({ status: 409, problem: 'not-a-storage-zone' });
    expect(await adminCall(shell, 'zones/nowhere/mero', asOperator)).toMatchObject({ status: 404, problem: 'unknown-zone' });
  });
});

describe('an operator', () => {
  it('starts and stops a cluster, each of them once', async () => {
    const shell = await aStorageZone({ cluster: { loaded }, processes: all });
    expect(await call(shell, '/start', {})).toMatchObject({
      status: 202,
      body: { done: true, because: 'an operator set the cluster to ONLINE' },
    });
    expect((await clusterRow(shell)).body).toMatchObject({ disposition: 'ONLINE', level: 0, goals: 1 });
    expect(await call(shell, '/start', {})).toMatchObject({
      status: 202,
      body: { done: false, because: 'the cluster is already set to ONLINE' },
    });
    shell.step(1_000);
    expect(await call(shell, '/stop', { reason: 'new racks' })).toMatchObject({
      body: { done: true, because: 'an operator set the cluster to OFFLINE: new racks' },
    });
    expect(await clusterRow(shell)).toMatchObject({
      body: { disposition: 'OFFLINE' },
      wakeAt: noon,
    });
    expect(await call(shell, '/stop', {})).toMatchObject({ body: { done: false, because: 'the cluster is already set to OFFLINE' } });
  });

  it('starts nothing where nothing was loaded or added, and is put on record', async () => {
    expect(await call(await aStorageZone({}), '/start', {})).toMatchObject({
      status: 409,
      problem: 'refused',
      body: { detail: 'Initial data not loaded.' },
    });
    // What was added by itself is started, too.
    const shell = await aStorageZone({ processes: [ios] });
    expect((await call(shell, '/start', {})).status).toBe(202);
    expect((await clusterRow(shell)).actor).toMatchObject({ who: 'operator' });
  });
});

const processIn = async (shell: TestShell, process: MeroProcess) =>
  (await shell.table.read(keyOf({ noun: 'process', id: processId(process) })))!.body as MeroProcess;
const nodeIn = async (shell: TestShell, id: string) => (await shell.table.read(keyOf({ noun: 'node', id })))!.body as Node;

describe('a reset', () => {
  const stopped = { loaded, disposition: 'OFFLINE' as const, level: -1 as const, reached: -1 as const };

  it('forgets what the processes of a stopped cluster do, and has their hosts asked', async () => {
    const shell = await aStorageZone({ cluster: stopped, processes: all, nodes: { [nodeFqdn(1)]: 'up' } });
    const id = 'n0000000000000001';
    await store(shell, 'node', id, { ...(await nodeIn(shell, id)), table: { hash: 'h', load: 'l1' } });
    expect(await call(shell, '/reset', {})).toMatchObject({ status: 202, body: { done: true, processes: 5 } });
    for (const process of [confd, ios, mds, app, s3]) expect((await processIn(shell, process)).state).toEqual({ is: 'unknown' });
    expect((await processIn(shell, halon)).state).toEqual(halon.state);
    expect((await nodeIn(shell, id)).table).toEqual({ load: 'l1' });
    expect((await clusterRow(shell)).body).toMatchObject({ level: -1, underWaySince: noon });
  });

  it('is refused while anything may run, unless it is hard; unstick forgets nothing', async () => {
    const shell = await aCluster();
    expect(await call(shell, '/reset', {})).toMatchObject({ status: 409, problem: 'refused' });
    expect((await processIn(shell, confd)).state).toEqual({ is: 'online' });
    shell.step(1_000);
    expect(await call(shell, '/reset', { mode: 'unstick' })).toMatchObject({ status: 202, body: { done: true, processes: 0 } });
    expect((await clusterRow(shell)).body).toMatchObject({ disposition: 'ONLINE', level: 1, underWaySince: shell.now() });
    expect(await call(shell, '/reset', { mode: 'hard' })).toMatchObject({ status: 202, body: { done: true, processes: 5 } });
    expect((await clusterRow(shell)).body).toMatchObject({ disposition: 'OFFLINE', level: -1 });
  });
});

describe('an update', () => {
  it('sets processes and services as somebody says who knows better', async () => {
    const shell = await aCluster();
    const set = [
      { fid: ios.fid, state: 'online' },
      { fid: serviceFid(31), state: 'failed' },
      { fid: confd.fid, state: 'online' },
    ];
    expect(await call(shell, '/update', { set })).toMatchObject({
      status: 200,
      body: {
        results: [
          { fid: ios.fid, done: true, because: 'an operator set it to online' },
          { fid: serviceFid(31), done: true, because: `an operator set service ${serviceFid(31)} to failed` },
          { fid: confd.fid, done: false, because: `${confd.fid} is online already` },
        ],
      },
    });
    expect(await processIn(shell, ios)).toMatchObject({ state: { is: 'online' }, services: [{}, { failed: true }] });
    const row = await shell.table.read(keyOf({ noun: 'process', id: processId(ios) }));
    expect(row!.events).toMatchObject([{ type: 'process.online' }]);
  });

  it('is refused as a whole, and names all that cannot be', async () => {
    const shell = await aCluster();
    const none = processFid(99);
    const set = [
      { fid: ios.fid, state: 'online' },
      { fid: mds.fid, state: 'online' },
      { fid: none, state: 'online' },
      { fid: fidOf('node', 1), state: 'failed' },
      { fid: device.fid, state: 'failed' },
    ];
    const { status: refused, body } = await call(shell, '/update', { set });
    expect([refused, body]).toMatchObject([
      409,
      {
        detail: [
          `${mds.fid} is failed: it cannot become online`,
          `there is no process ${none}`,
          `${fidOf('node', 1)} is a node, whose state follows from its heartbeats: use mero node stop or mero node start`,
          `${device.fid} is the fid of a device, whose state follows from what contains it`,
        ].join('; '),
      },
    ]);
    expect((await processIn(shell, ios)).state).toEqual({ is: 'starting' });
    expect(await call(shell, '/update', { set: [set[0], set[0]] })).toMatchObject({ status: 422, problem: 'invalid' });
  });
});
