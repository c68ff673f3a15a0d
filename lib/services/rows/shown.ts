import type { NodeStatus } from '../../nodes/node.ts';
import type { Service, ServiceStateName } from '../service.ts';

/** What a service is shown as: what it is doing, or that its node is down, and what it did then. */
export type ShownService =
  | { readonly is: Exclude<ServiceStateName, 'failed'> }
  | { readonly is: 'failed'; readonly reason: string }
  | { readonly is: 'inhibited'; readonly previous: ServiceStateName };

const alive: readonly ServiceStateName[] = ['starting', 'online', 'stopping'];

/** The state of a service with its node's taken in: one that has failed stays so, as nothing of it runs. */
export function shownService({ state }: Pick<Service, 'state'>, node: { readonly status: NodeStatus } | undefined): ShownService {
  const isLost = node === undefined || node.status === 'down' || node.status === 'dropped';
  return isLost && alive.includes(state.is) ? { is: 'inhibited', previous: state.is } : state;
}
