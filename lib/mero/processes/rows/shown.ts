import type { Fid } from '../../../core/fid.ts';
import type { Node, NodeStatus } from '../../../nodes/node.ts';
import type { StorageCluster } from '../../clusters/cluster.ts';
import type { MeroNode } from '../../nodes/mero-node.ts';
import { isHalon, type MeroProcess, type MeroService, type ProcessDevices, type ProcessStateName, processMoves } from '../process.ts';
import { goalOf } from './goal.ts';

/** The displayed state of a process: its own state, or that its node is down, with its state before that. */
export type DisplayedState =
  | { readonly is: Exclude<ProcessStateName, 'failed'> }
  | { readonly is: 'failed'; readonly reason: string }
  | { readonly is: 'inhibited'; readonly previous: ProcessStateName };
export type DisplayedStateName = DisplayedState['is'];

/** The displayed state of a Mero service. */
export type ServiceState = 'unknown' | 'offline' | 'starting' | 'online' | 'stopping' | 'failed' | 'inhibited';
/** The displayed state of a device. */
export type DeviceState = 'unknown' | 'online' | 'inhibited';

/** The state of the services of a process, by the displayed state of the process. */
export const serviceCascade = {
  unknown: 'unknown',
  offline: 'offline',
  starting: 'starting',
  online: 'online',
  quiescing: 'inhibited',
  stopping: 'stopping',
  failed: 'failed',
  inhibited: 'inhibited',
} as const satisfies Record<DisplayedStateName, ServiceState>;

/**
 * The state of the devices of a service, by the displayed state of the service: without the service they are out of
 * reach, and with it they are what they were.
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

/**
 * The displayed state of Halon's own process, by the status of its node: it is the agent, and nothing else reports
 * about it.
 */
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
} as const satisfies Record<NodeStatus, DisplayedState>;

/**
 * The inputs of a displayed state: the node of the host, the cluster, and the Mero node. `devices` if those are
 * displayed.
 */
export type Surroundings = {
  readonly node: Pick<Node, 'status'> | undefined;
  readonly cluster: Pick<StorageCluster, 'level'>;
  readonly meroNode: Pick<MeroNode, 'stopped'> | undefined;
  readonly devices?: ProcessDevices | undefined;
};

/** A displayed service; `devices` if they were requested. */
export type DisplayedService = {
  readonly fid: Fid;
  readonly type: string;
  readonly state: ServiceState;
  readonly devices?: readonly (ProcessDevices['services'][number]['devices'][number] & { readonly state: DeviceState })[];
};

/**
 * The state of a process as people see it and plans count it, with the status of its node taken into account. Also the
 * states of its services.
 */
export function displayedProcess(
  process: MeroProcess,
  surroundings: Surroundings,
): { readonly state: DisplayedState; readonly services: readonly DisplayedService[] } {
  const state = displayedState(process, surroundings);
  return { state, services: process.services.map((service) => displayedService(service, state, surroundings.devices)) };
}

/** The state of a process with the status of its node taken into account. */
export function displayedState(process: MeroProcess, { node, cluster, meroNode }: Surroundings): DisplayedState {
  if (isHalon(process)) return node ? halonCascade[node.status] : { is: 'unknown' };
  const { state, heard } = process;
  // A host without a node had one before if any report about its processes ever came.
  const isLost = node ? node.status === 'down' || node.status === 'dropped' : heard !== undefined;
  if (isLost && isAlive(state.is)) return { is: 'inhibited', previous: state.is };
  if (state.is === 'online' && goalOf(process, cluster, meroNode) === 'stop') return { is: 'quiescing' };
  return state;
}

/** Whether a process is lost with its node: one that is offline or has failed stays so, as nothing of it runs. */
const isAlive = (state: ProcessStateName): boolean => (processMoves['node lost'].from as readonly ProcessStateName[]).includes(state);

/**
 * A cascade never overrides a state that was set by itself: a failed service stays failed while its process goes on.
 * The next life of its process begins without the failure, and so does a process whose state is unknown.
 */
function displayedService(
  { fid, type, failed }: MeroService,
  { is }: DisplayedState,
  devices: ProcessDevices | undefined,
): DisplayedService {
  const state = failed && is !== 'unknown' ? 'failed' : serviceCascade[is];
  const own = devices?.services.find(({ service }) => service === fid)?.devices;
  return { fid, type, state, ...(own && { devices: own.map((device) => ({ ...device, state: deviceCascade[state] })) }) };
}
