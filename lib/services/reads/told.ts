import type { EpochMs } from '../../core/time.ts';
import type { DesiredService } from '../../nodes/desired/desired.ts';
import { waiting } from '../on-answer.ts';
import type { ServiceType } from '../rows/service-type.ts';
import { instanceOf, type Service } from '../service.ts';

/**
 * The goal for a service now: its instance runs, or nothing of it does. A failed service runs again under another
 * instance, or not at all. If a failed service has ended and another attempt is due, its agent may have restarted it by
 * itself already. It must not be stopped then.
 */
export function goalOf({ stopping, state, running, retryAt }: Pick<Service, 'stopping' | 'state' | 'running' | 'retryAt'>): 'run' | 'stop' {
  if (stopping || state.is === 'offline') return 'stop';
  return state.is === 'failed' && (running !== undefined || retryAt === undefined) ? 'stop' : 'run';
}

/** The orders to the agent of a node for one of its services. */
export function desiredService(service: Service, type: ServiceType, now: EpochMs): DesiredService {
  const { program, check, status, checkEveryMs, messages } = type;
  return {
    service: service.type,
    name: service.name,
    instance: instanceOf(service),
    goal: goalOf(service),
    program,
    ...(check && { check }),
    ...(status && { status }),
    ...(checkEveryMs !== undefined && { checkEveryMs }),
    messages: messages.map(({ name, command }) => ({ name, command })),
    configuration: service.configuration,
    ...service.limits,
    asks: waiting(service.asks, now).map(({ until: _until, ...ask }) => ask),
  };
}

/**
 * The orders to the agent of a node for all of its services. The agent stops any other service that it runs, because
 * that is no longer registered.
 */
export const desiredServices = (
  services: readonly Service[],
  typeOf: (name: Service['type']) => ServiceType | undefined,
  now: EpochMs,
): DesiredService[] =>
  services.flatMap((service) => {
    const type = typeOf(service.type);
    return type ? [desiredService(service, type, now)] : [];
  });

/**
 * Whether the orders to a service's agent change, so that the agent must ask for them: `after` is undefined where the
 * service is no longer registered. That an ended service should stop is no news to the agent.
 */
export function isNews(before: Service | undefined, after: Service | undefined): boolean {
  if (!after) return before !== undefined && (before.running !== undefined || before.state.is === 'starting') && !before.stopping;
  if (!before || instanceOf(before) !== instanceOf(after)) return true;
  if (before.configuration !== after.configuration) return true;
  if (after.asks.some(({ id }) => !before.asks.some((ask) => ask.id === id))) return true;
  return goalOf(before) !== goalOf(after) && (after.stopping === true || after.running !== undefined);
}
