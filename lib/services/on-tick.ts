import { type Decision, graced, nothing, type Tick } from '../core/decision.ts';
import { type EpochMs, minuteMs, plusMs, secondMs } from '../core/time.ts';
import { attemptsMax, dueAt, moved, started } from './move.ts';
import type { Service } from './service.ts';

/**
 * How often a service is looked at whose node is silent: nothing is expected of it until that speaks, or is given up.
 */
export const awayLookMs = minuteMs;

/**
 * Time has passed for a service. While its node is silent (`isAway`) nobody could have reported, and nobody would start
 * it again.
 */
export function onTick(service: Service, tick: Tick & { readonly isAway: boolean }, now: EpochMs): Decision<Service> {
  const due = dueAt(service);
  const { is } = service.state;
  if (due === undefined) return nothing(`nothing waits on time for a service that is ${is}`);
  if (tick.isAway) return nothing('its node is silent', plusMs(now, awayLookMs));
  // An attempt waits for nobody's word: it is not late because we slept.
  const at = is === 'failed' ? due : graced(due, tick);
  if (at > now) return nothing(`${is}; it has its time`, at);
  if (is === 'failed') return retry(service, now);
  const reason = is === 'starting' ? 'start timeout' : 'stop timeout';
  const spanS = (is === 'starting' ? service.limits.startMs : service.limits.stopMs) / secondMs;
  return moved(service, 'failed', { because: `${reason}: ${is} for more than ${spanS} s`, reason }, now)!;
}

/**
 * The rule: one that failed by itself is started again, a few times and some seconds apart, and then somebody has to
 * look.
 */
function retry(service: Service, now: EpochMs): Decision<Service> {
  const attempts = (service.attempts ?? 0) + 1;
  const reason = service.state.is === 'failed' ? service.state.reason : '';
  return started(service, { because: `attempt ${attempts} of ${attemptsMax} to start it again (${reason})`, also: { attempts } }, now);
}
