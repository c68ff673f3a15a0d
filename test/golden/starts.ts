import type { Fid } from '../../lib/core/fid.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import type { ProcessState } from '../../lib/mero/processes/process.ts';
import { builtInTypes } from '../../lib/services/rows/built-in.ts';
import { ServiceTypes } from '../../lib/services/rows/service-type.ts';
import { Service, type ServiceState } from '../../lib/services/service.ts';
import { WatchSet } from '../../lib/services/watch-set.ts';
import { aNode } from '../../tools/support/builders.ts';
import { aCluster, aMeroNode, aProcess, storageZone } from '../support/mero.ts';

const node = { id: 'n0123456789abcdef', fqdn: 'node7.acme.org' } as Record<'id' | 'fqdn', never>;
const receivedAt = 1_777_636_800_000 as EpochMs;
const before = (receivedAt - 9_000) as EpochMs;
const booted = { ...node, incarnation: 2, heardAt: before, leaseUntil: (before + 38_000) as EpochMs };
const boot = { id: 'b7c1d2e3f4a50617', kernel: '3f1c0c5e-7d5c-4c6e-9f0e-2b8f6f0f1d11', receivedAt: before, before: 'a-boot-before' };
const ordered = (mapVersion: number, slots: number[]) => ({ mapVersion, zoneSlots: 1_024, slots });

const life = { pid: 4711, born: '3f1c0c5e.812345' };
/** A storage node, and the process of the examples on it, in that state. */
const runs = (state: ProcessState, running?: typeof life) => ({
  node: aNode({ ...booted, boot, kind: 'storage', zone: storageZone }),
  cluster: aCluster(),
  'mero-node': aMeroNode({ fqdn: node.fqdn }),
  process: aProcess({ fid: '0x7200000000000001:0x2d' as Fid, host: node.fqdn, state, since: before, ...(running && { running }) }),
});

const schema = {
  name: 'statistics',
  configuration: '{}',
  relations: [],
  resources: [{ kind: 'database', hold: 'shared' }],
};
/** A node, and the service of the examples on it, in that state and with the type that it is of. */
const serves = (state: ServiceState, more: Partial<Service> = {}) => ({
  node: aNode({ ...booted, boot, services: true }),
  service: Service.parse({
    type: 'statistics',
    name: 'statistics',
    node: node.id,
    host: node.fqdn,
    zone: 'default',
    registered: Number.parseInt('mosy7k3s', 36),
    start: 2,
    configuration: '{}',
    state,
    since: before,
    resources: [],
    asks: [],
    results: [],
    limits: { startMs: 180_000, stopMs: 30_000, askMs: 10_000 },
    ...(state.is !== 'starting' && { running: life }),
    ...more,
  }),
  'service-types': ServiceTypes.parse({
    zone: 'default',
    schemas: [schema],
    types: [{ ...builtInTypes.find(({ name }) => name === 'statistics')!, schema: 'statistics' }],
  }),
});
const database = { kind: 'database', id: 'metrics', hold: 'shared' } as const;
const asked = { id: 'c-7f31', what: 'check', until: (receivedAt + 30_000) as EpochMs } as const;
/** A supervisor that watches its own node and another one, and misses nobody yet. */
const supervising = serves({ is: 'online' });
const watches = {
  ...supervising,
  service: Service.parse({ ...supervising.service, type: 'supervisor', name: 'supervisor' }),
  'watch-set': WatchSet.parse({
    zone: 'default',
    node: node.id,
    supervisors: [],
    missed: [],
    heard: { incarnation: 2, seq: 12 },
    services: [{ node: node.id }, { node: 'n00000000000000aa', address: 'node8.acme.org:7700' }],
  }),
};

/**
 * Which rows there are before the example of a report comes in, by noun: states in which it has something to say. Read only when an
 * example is recorded for the first time; from then on the recorded ones count.
 */
export const starts: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'node.up.v1': { node: aNode({ ...node, status: 'absent' }) },
  'node.heartbeat.v1': {
    node: aNode({ ...booted, boot, seq: 41 }),
    digest: { listVersion: 3, bits: Uint8Array.of(0xff), at: before },
  },
  'node.ready.v1': { node: aNode({ ...booted, boot, status: 'joining' }) },
  'node.leaving.v1': { node: aNode({ ...booted, boot, seq: 42, index: 3 }) },
  'node.released.v1': {
    node: aNode({ ...booted, boot, status: 'leaving', leaving: { mode: 'drain', since: before, orderVersion: 17 } }),
    desired: { release: [ordered(17, [1, 2, 3]), ordered(18, [4])] },
  },
  'report.process.starting.v1': runs({ is: 'offline' }),
  'process.started.v1': runs({ is: 'starting' }),
  'report.process.stopping.v1': runs({ is: 'online' }, life),
  'report.process.stopped.v1': runs({ is: 'stopping' }, life),
  'report.process.failed.v1': runs({ is: 'starting' }, life),
  'report.service.starting.v1': serves({ is: 'starting' }),
  'service.started.v1': serves({ is: 'starting' }),
  'report.service.stopping.v1': serves({ is: 'online' }),
  'report.service.stopped.v1': serves({ is: 'online' }),
  'report.service.failed.v1': serves({ is: 'online' }),
  'service.acquired.v1': serves({ is: 'online' }),
  'service.released.v1': serves({ is: 'online' }, { resources: [database] }),
  'report.service.configured.v1': serves({ is: 'online' }),
  'service.answered.v1': serves({ is: 'online' }, { asks: [asked] }),
  'supervisor.missed.v1': watches,
  'node.table.v1': runs({ is: 'offline' }),
};
