import { type Decision, graced, nothing, type Tick } from '../core/decision.ts';
import { type EpochMs, minuteMs, plusMs, secondMs } from '../core/time.ts';
import { attemptsMax, dueAt, moved, started } from './move.ts';
import type { Service } from './service.ts';

/**
 * How often Muster checks a service whose node is silent, in ms. Nothing is expected of the service until its node is
 * heard again or is given up.
 */
export const awayCheckMs = minuteMs;

/**
 * Applies the passing of time to a service. While its node is silent (`isAway`), no report could arrive, and no agent
 * would restart the service.
 */
export function onTick(service: Service, tick: Tick & { readonly isAway: boolean }, now: EpochMs): Decision<Service> {
  const due = dueAt(service);
  const { is } = service.state;
  if (due === undefined) return nothing(`a service that is ${is} has no deadline`);
  if (tick.isAway) return nothing('its node is silent', plusMs(now, awayCheckMs));
  // An attempt waits for no report: it is not late because Muster slept.
  const at = is === 'failed' ? due : graced(due, tick);
  if (at > now) return nothing(`${is}; its time is not up yet`, at);
  if (is === 'failed') return retry(service, now);
  const reason = is === 'starting' ? 'start timeout' : 'stop timeout';
  const spanS = (is === 'starting' ? service.limits.startMs : service.limits.stopMs) / secondMs;
  return moved(service, 'failed', { because: `${reason}: ${is} for more than ${spanS} s`, reason }, now)!;
}

/**
 * The rule: a service that failed by itself is restarted a few times, some seconds apart. After that an operator must
 * act.
 */
function retry(service: Service, now: EpochMs): Decision<Service> {
  const attempts = (service.attempts ?? 0) + 1;
  const reason = service.state.is === 'failed' ? service.state.reason : '';
  return started(service, { because: `attempt ${attempts} of ${attemptsMax} to start it again (${reason})`, also: { attempts } }, now);
}
