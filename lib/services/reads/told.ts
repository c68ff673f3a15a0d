import type { EpochMs } from '../../core/time.ts';
import type { DesiredService } from '../../nodes/desired/desired.ts';
import { waiting } from '../on-answer.ts';
import type { ServiceType } from '../rows/service-type.ts';
import { instanceOf, type Service } from '../service.ts';

/**
 * What is wanted of a service now: that its instance runs, or that nothing of it does. One that failed runs again under
 * another instance, or not at all. One that has ended and is to be tried again its agent may have started again by
 * itself already: that is not to stop.
 */
export function goalOf({ stopping, state, running, retryAt }: Pick<Service, 'stopping' | 'state' | 'running' | 'retryAt'>): 'run' | 'stop' {
  if (stopping || state.is === 'offline') return 'stop';
  return state.is === 'failed' && (running !== undefined || retryAt === undefined) ? 'stop' : 'run';
}

/** What the agent of a node is told to do about one of its services. */
export function toldService(service: Service, type: ServiceType, now: EpochMs): DesiredService {
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

/** What it is told about all of them. What it runs besides these it stops: that is registered no more. */
export const toldServices = (
  services: readonly Service[],
  typeOf: (name: Service['type']) => ServiceType | undefined,
  now: EpochMs,
): DesiredService[] =>
  services.flatMap((service) => {
    const type = typeOf(service.type);
    return type ? [toldService(service, type, now)] : [];
  });

/**
 * Whether a service's agent is told something else than before, so that it must ask what it should do: `after` is
 * undefined of one that is registered no more. That what has ended should stop is no news to it.
 */
export function isNews(before: Service | undefined, after: Service | undefined): boolean {
  if (!after) return before !== undefined && (before.running !== undefined || before.state.is === 'starting') && !before.stopping;
  if (!before || instanceOf(before) !== instanceOf(after)) return true;
  if (before.configuration !== after.configuration) return true;
  if (after.asks.some(({ id }) => !before.asks.some((ask) => ask.id === id))) return true;
  return goalOf(before) !== goalOf(after) && (after.stopping === true || after.running !== undefined);
}
