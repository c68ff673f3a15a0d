import type { Published } from '../../events/catalogue.ts';
import { type Decision, type Removed, write } from '../core/decision.ts';
import { usualRestart } from '../core/restart.ts';
import { type EpochMs, minuteMs, plusMs, secondMs } from '../core/time.ts';
import { instanceOf, type Service, type ServiceMove, type ServiceState, type ServiceStateName, serviceMoves } from './service.ts';

/** How often the rule restarts a failed service, and how long it waits before each attempt, in ms. */
export const { attemptsMax, everyMs: retryMs } = usualRestart;
/**
 * How much longer than the agent Muster waits for a start or a stop that it knows to have begun, in ms: the report of
 * the outcome is on its way.
 */
export const reportMs = 15 * secondMs;
/**
 * The same where the agent does not know the order yet, in ms: two of the slowest heartbeats, whose answers make it
 * ask.
 */
export const noticeMs = 10 * minuteMs;

/** Whether a service in that state can make that move. */
export const canMove = (from: ServiceStateName, move: ServiceMove): boolean =>
  (serviceMoves[move].from as readonly ServiceStateName[]).includes(from);

/** The state that a move leads to; undefined where the table has no such move. */
export function stateAfter(state: ServiceState, move: ServiceMove, reason: string): ServiceState | undefined {
  if (!canMove(state.is, move)) return undefined;
  const is = serviceMoves[move].to;
  return is === 'failed' ? { is, reason } : { is };
}

/**
 * The details of a move: its cause, in words for people; the reason of a failure; and other fields that the row gets.
 */
export type Moved = {
  readonly because: string;
  readonly reason?: string;
  readonly also?: Partial<Service>;
  /**
   * The instance has ended: nothing of it runs, and it holds nothing. That is unknown of an instance that only failed
   * to answer.
   */
  readonly ended?: boolean;
  /** The resources that it still holds, by reports that were sent after its end. None by default. */
  readonly holds?: Service['resources'];
  /** On a failure: another attempt cannot succeed until the node is back or an operator starts the service. */
  readonly final?: true | undefined;
};

/** The service after a move, with the changes that belong to it, or undefined where the table has no such move. */
export function moved(service: Service, move: ServiceMove, how: Moved, now: EpochMs): Decision<Service> | undefined {
  const { because, reason = because, also, ended = false, holds = [], final } = how;
  const state = stateAfter(service.state, move, reason.slice(0, reasonMax));
  if (!state) return undefined;
  const since = state.is === service.state.is ? service.since : now;
  const tried = { attempts: attemptsOf(service, now) };
  const { retryAt, ...rest } = along({ ...(ended ? { ...without(service), resources: holds } : service), ...tried, state, since }, now);
  const next: Service = { ...rest, ...(retryAt !== undefined && !final && { retryAt }), ...also };
  if (state.is === 'offline') return unregistered(next, because);
  return write(next, because, { events: eventsOf(service, next), wakeAt: dueAt(next) });
}

/**
 * The number of attempts since the service last ran well, which is for as long as a start may take. Otherwise a service
 * that is online for a second each time would be restarted forever, and no operator would be alerted.
 */
const attemptsOf = ({ state, since, limits, attempts = 0 }: Service, now: EpochMs): number =>
  state.is === 'online' && now >= plusMs(since, limits.startMs) ? 0 : attempts;

/** The maximum length of the reason of a failure, as events and rows have it. */
const reasonMax = 400;

function along(service: Service, now: EpochMs): Service {
  const { attempts = 0, retryAt: _due, ...rest } = service;
  switch (service.state.is) {
    case 'starting':
    case 'online':
    case 'stopping':
      return { ...rest, ...(attempts > 0 && { attempts }) };
    case 'offline':
      return rest;
    case 'failed':
      return { ...rest, ...(attempts > 0 && { attempts }), ...(isRetried(service) && { retryAt: plusMs(now, retryMs) }) };
  }
}

/**
 * Whether the rule restarts a failed service: not while an operator is stopping it, and not once its attempts are used
 * up.
 */
const isRetried = ({ stopping, attempts = 0 }: Service): boolean => !stopping && attempts < attemptsMax;

/** The service without its ended instance: it has no process, address, version, drift or resources. */
function without({ running: _pid, address: _address, version: _version, drift: _drift, ...service }: Service): Service {
  return holdsNothing(service);
}

/** The service once its agent has begun the instance. The previous instance has ended, so its resources are free. */
export const holdsItsOwn = (service: Service): Service => (service.heldBefore ? holdsNothing(service) : service);

const holdsNothing = ({ heldBefore: _before, ...service }: Service): Service => ({ ...service, resources: [] });

/**
 * The service under a new instance, which begins with nothing. What still runs of the previous instance gives way to
 * it. That instance holds its resources until its end is known. Otherwise two instances would each believe that they
 * hold them alone.
 */
export function started(service: Service, { because, also, ended = false }: Moved, now: EpochMs): Decision<Service> {
  const { resources } = service;
  const before = ended || resources.length === 0 ? {} : ({ resources, heldBefore: true } as const);
  const { stopping: _stop, healthy: _health, accepted: _accepted, configuredBy: _by, ...rest } = { ...without(service), ...before };
  const next = { ...along({ ...rest, start: service.start + 1, state: { is: 'starting' }, since: now, asks: [] }, now), ...also };
  return write(next, because, { events: [event('service.starting', next)], wakeAt: dueAt(next) });
}

/** Unregisters the service: its row ends, and with it the resources that it held. */
export const unregistered = (service: Service, because: string): Removed<Service, ServiceEvent> => ({
  does: 'remove',
  last: { ...service, state: { is: 'offline' }, resources: [], asks: [] },
  events: [event('service.stopped', service)],
  because,
});

/** When the passing of time may change a service: its start or stop takes too long, or a restart is due. */
export function dueAt({ state, since, limits, retryAt, running, stopping }: Service): EpochMs | undefined {
  if (state.is === 'starting') return plusMs(since, limits.startMs + (running ? reportMs : noticeMs));
  return state.is === 'stopping' ? plusMs(since, limits.stopMs + (stopping ? noticeMs : reportMs)) : retryAt;
}

type Events = {
  [T in 'service.starting' | 'service.online' | 'service.stopping' | 'service.stopped']: Extract<Published, { type: T }>;
};
/** The events that are published about a service. */
export type ServiceEvent = Extract<Published, { type: `service.${string}` }>;

const about = (service: Service) => {
  const { zone, type, name, node, host } = service;
  return { zone, service: type, name, node, host, instance: instanceOf(service) };
};

const event = <T extends keyof Events>(type: T, service: Service): Events[T] => ({ type, version: 1, data: about(service) }) as Events[T];

/**
 * The event that a service has failed, with the number of restarts since it was last online, and whether another one
 * follows.
 */
export const failedEvent = (service: Service, reason: string): ServiceEvent => ({
  type: 'service.failed',
  version: 1,
  data: { ...about(service), reason, attempts: service.attempts ?? 0, retry: service.retryAt !== undefined },
});

/** The event that a check found another health than the check before. */
export const healthEvent = (service: Service, healthy: boolean, says: string): ServiceEvent => ({
  type: 'service.health',
  version: 1,
  data: { ...about(service), healthy, says },
});

/**
 * The event that a service reported its configuration: where it differs from the ordered one, and what Muster does
 * about it.
 */
export const configuredEvent = (
  service: Service,
  differs: readonly string[],
  does: Extract<Published, { type: 'service.configured' }>['data']['does'],
): ServiceEvent => ({ type: 'service.configured', version: 1, data: { ...about(service), differs: [...differs], does } });

function eventsOf(before: Service, after: Service): ServiceEvent[] {
  const { state } = after;
  if (before.state.is === state.is) return [];
  switch (state.is) {
    case 'failed':
      return [failedEvent(after, state.reason)];
    case 'online':
      return [event('service.online', after)];
    case 'stopping':
      return [event('service.stopping', after)];
    case 'starting':
      return [event('service.starting', after)];
    case 'offline':
      // It ends the row: see `unregistered`.
      return [];
  }
}
