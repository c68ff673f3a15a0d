import type { Fid } from '../../../core/fid.ts';
import type { Node, NodeStatus } from '../../../nodes/node.ts';
import type { StorageCluster } from '../../clusters/cluster.ts';
import type { MeroNode } from '../../nodes/mero-node.ts';
import { isHalon, type MeroProcess, type MeroService, type ProcessDevices, type ProcessStateName, processMoves } from '../process.ts';
import { goalOf } from './goal.ts';

/** What a process is shown as: what it is doing, or that its node is down, and what it did then. */
export type ShownState =
  | { readonly is: Exclude<ProcessStateName, 'failed'> }
  | { readonly is: 'failed'; readonly reason: string }
  | { readonly is: 'inhibited'; readonly previous: ProcessStateName };
export type ShownStateName = ShownState['is'];

/** What a Mero service is shown as. */
export type ServiceState = 'unknown' | 'offline' | 'starting' | 'online' | 'stopping' | 'failed' | 'inhibited';
/** What a device is shown as. */
export type DeviceState = 'unknown' | 'online' | 'inhibited';

/** What the services of a process do while it is shown as that. */
export const serviceCascade = {
  unknown: 'unknown',
  offline: 'offline',
  starting: 'starting',
  online: 'online',
  quiescing: 'inhibited',
  stopping: 'stopping',
  failed: 'failed',
  inhibited: 'inhibited',
} as const satisfies Record<ShownStateName, ServiceState>;

/**
 * What the devices of a service are while it is shown as that: without it nobody reaches them, and with it they are
 * what they were.
 */
export const deviceCascade = {
  unknown: 'unknown',
  offline: 'inhibited',
  starting: 'online',
  online: 'online',
  stopping: 'inhibited',
  failed: 'inhibited',
  inhibited: 'inhibited',
} as const satisfies Record<ServiceState, DeviceState>;

/** What Halon's own process is while its node has that status: it is the agent, and nobody else speaks for it. */
const halonCascade = {
  absent: { is: 'offline' },
  waiting: { is: 'offline' },
  joining: { is: 'starting' },
  up: { is: 'online' },
  suspect: { is: 'online' },
  leaving: { is: 'online' },
  quarantined: { is: 'online' },
  down: { is: 'inhibited', previous: 'online' },
  dropped: { is: 'offline' },
} as const satisfies Record<NodeStatus, ShownState>;

/**
 * What a process is shown by: the node of its host, its cluster, and its host there. `devices` where those are to be
 * shown.
 */
export type Around = {
  readonly node: Pick<Node, 'status'> | undefined;
  readonly cluster: Pick<StorageCluster, 'level'>;
  readonly meroNode: Pick<MeroNode, 'stopped'> | undefined;
  readonly devices?: ProcessDevices | undefined;
};

/** A service as it is shown; `devices` where they were asked for. */
export type ShownService = {
  readonly fid: Fid;
  readonly type: string;
  readonly state: ServiceState;
  readonly devices?: readonly (ProcessDevices['services'][number]['devices'][number] & { readonly state: DeviceState })[];
};

/**
 * A process as it is shown to people and counted by plans: its state with its node's taken in, and that of its
 * services.
 */
export function shownProcess(
  process: MeroProcess,
  around: Around,
): { readonly state: ShownState; readonly services: readonly ShownService[] } {
  const state = shownState(process, around);
  return { state, services: process.services.map((service) => shownService(service, state, around.devices)) };
}

/** The state of a process with its node's taken in. */
export function shownState(process: MeroProcess, { node, cluster, meroNode }: Around): ShownState {
  if (isHalon(process)) return node ? halonCascade[node.status] : { is: 'unknown' };
  const { state, heard } = process;
  // A host whose node is not there any more had one once: somebody has spoken for its processes.
  const isLost = node ? node.status === 'down' || node.status === 'dropped' : heard !== undefined;
  if (isLost && isAlive(state.is)) return { is: 'inhibited', previous: state.is };
  if (state.is === 'online' && goalOf(process, cluster, meroNode) === 'stop') return { is: 'quiescing' };
  return state;
}

/** Whether it is lost with its node: one that is offline or has failed stays so, as nothing of it runs. */
const isAlive = (state: ProcessStateName): boolean => (processMoves['node lost'].from as readonly ProcessStateName[]).includes(state);

/**
 * A cascade never overrides what was set by itself: a service that has failed stays so while its process goes on. Its
 * process's next life begins without it, as a process that nothing is known of does.
 */
function shownService({ fid, type, failed }: MeroService, { is }: ShownState, devices: ProcessDevices | undefined): ShownService {
  const state = failed && is !== 'unknown' ? 'failed' : serviceCascade[is];
  const own = devices?.services.find(({ service }) => service === fid)?.devices;
  return { fid, type, state, ...(own && { devices: own.map((device) => ({ ...device, state: deviceCascade[state] })) }) };
}
