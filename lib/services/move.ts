import type { Published } from '../../events/catalogue.ts';
import { type Decision, type Removed, write } from '../core/decision.ts';
import { usualRestart } from '../core/restart.ts';
import { type EpochMs, minuteMs, plusMs, secondMs } from '../core/time.ts';
import { instanceOf, type Service, type ServiceMove, type ServiceState, type ServiceStateName, serviceMoves } from './service.ts';

/** How often the rule starts a service that failed again, and how long it waits before each, in ms. */
export const { attemptsMax, everyMs: retryMs } = usualRestart;
/**
 * How much longer than the agent Muster waits for a start or a stop that it knows to have begun, in ms: the word of how
 * it went is on its way.
 */
export const wordMs = 15 * secondMs;
/** The same where the agent has still to hear of it: two of the slowest heartbeats, whose answers tell it to ask. */
export const tellMs = 10 * minuteMs;

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
 * What comes with a move: why, in words for people; the reason of a failure; and what else the row says from then on.
 */
export type Moved = {
  readonly because: string;
  readonly reason?: string;
  readonly also?: Partial<Service>;
  /**
   * The instance has ended: nothing of it runs, and it holds nothing. Of one that only failed to answer nobody knows.
   */
  readonly ended?: boolean;
  /** What it holds all the same, by words that were said after its end; nothing unless told. */
  readonly holds?: Service['resources'];
  /** Of a failure: trying again is in vain, until its node is back or an operator starts it. */
  readonly final?: true | undefined;
};

/**
 * The service in the state that it came to, with what goes along with that, or undefined where the table has no such
 * move.
 */
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
 * How often the rule has tried to start it since it last ran well: for as long as a start may take. One that is online
 * for a second each time would else be started for ever, with nobody told to look.
 */
const attemptsOf = ({ state, since, limits, attempts = 0 }: Service, now: EpochMs): number =>
  state.is === 'online' && now >= plusMs(since, limits.startMs) ? 0 : attempts;

/** How long the reason of a failure is at most, as events and rows have it. */
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
 * Whether the rule starts one that failed again: not one that an operator stops, nor one that was tried often enough.
 */
const isRetried = ({ stopping, attempts = 0 }: Service): boolean => !stopping && attempts < attemptsMax;

/**
 * What is left of a service whose instance has ended: no process, no address, nothing that it ran with instead, and no
 * resource that it held.
 */
function without({ running: _pid, address: _address, version: _version, drift: _drift, ...service }: Service): Service {
  return holdsNothing(service);
}

/** Its agent begins an instance once the one before has ended: what that one held is free then. */
export const holdsItsOwn = (service: Service): Service => (service.heldBefore ? holdsNothing(service) : service);

const holdsNothing = ({ heldBefore: _before, ...service }: Service): Service => ({ ...service, resources: [] });

/**
 * The service under a new instance, which begins with nothing: what of the one before still runs gives way to it. What
 * that one holds it holds until its end is known: else two would believe that they have it alone.
 */
export function started(service: Service, { because, also, ended = false }: Moved, now: EpochMs): Decision<Service> {
  const { resources } = service;
  const before = ended || resources.length === 0 ? {} : ({ resources, heldBefore: true } as const);
  const { stopping: _stop, healthy: _health, accepted: _accepted, ...rest } = { ...without(service), ...before };
  const next = { ...along({ ...rest, start: service.start + 1, state: { is: 'starting' }, since: now, asks: [] }, now), ...also };
  return write(next, because, { events: [event('service.starting', next)], wakeAt: dueAt(next) });
}

/** The service is registered no more: its row ends, and with it what it held. */
export const unregistered = (service: Service, because: string): Removed<Service, ServiceEvent> => ({
  does: 'remove',
  last: { ...service, state: { is: 'offline' }, resources: [], asks: [] },
  events: [event('service.stopped', service)],
  because,
});

/** When time may change a service: it starts or stops for too long, or is to be started again. */
export function dueAt({ state, since, limits, retryAt, running, stopping }: Service): EpochMs | undefined {
  if (state.is === 'starting') return plusMs(since, limits.startMs + (running ? wordMs : tellMs));
  return state.is === 'stopping' ? plusMs(since, limits.stopMs + (stopping ? tellMs : wordMs)) : retryAt;
}

type Events = {
  [T in 'service.starting' | 'service.online' | 'service.stopping' | 'service.stopped']: Extract<Published, { type: T }>;
};
/** What is published of a service. */
export type ServiceEvent = Extract<Published, { type: `service.${string}` }>;

const about = (service: Service) => {
  const { zone, type, name, node, host } = service;
  return { zone, service: type, name, node, host, instance: instanceOf(service) };
};

const event = <T extends keyof Events>(type: T, service: Service): Events[T] => ({ type, version: 1, data: about(service) }) as Events[T];

/**
 * That a service has failed, how often it was started again since it was last online, and whether it will be once more.
 */
export const failedEvent = (service: Service, reason: string): ServiceEvent => ({
  type: 'service.failed',
  version: 1,
  data: { ...about(service), reason, attempts: service.attempts ?? 0, retry: service.retryAt !== undefined },
});

/** That a check found it otherwise than the one before. */
export const healthEvent = (service: Service, healthy: boolean, says: string): ServiceEvent => ({
  type: 'service.health',
  version: 1,
  data: { ...about(service), healthy, says },
});

/** That it says what it runs with: where that is not as it was ordered, and what is done about it. */
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
