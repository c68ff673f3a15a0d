import type { NodeStatus } from '../../nodes/node.ts';
import type { Service, ServiceStateName } from '../service.ts';

/** The state of a service as it is displayed: its own state, or that its node is down, with the state before that. */
export type ViewedState =
  | { readonly is: Exclude<ServiceStateName, 'failed'> }
  | { readonly is: 'failed'; readonly reason: string }
  | { readonly is: 'inhibited'; readonly previous: ServiceStateName };

const alive: readonly ServiceStateName[] = ['starting', 'online', 'stopping'];

/**
 * The state of a service with that of its node taken into account. A failed service remains failed, because nothing of
 * it runs.
 */
export function viewedState({ state }: Pick<Service, 'state'>, node: { readonly status: NodeStatus } | undefined): ViewedState {
  const isLost = node === undefined || node.status === 'down' || node.status === 'dropped';
  return isLost && alive.includes(state.is) ? { is: 'inhibited', previous: state.is } : state;
}
