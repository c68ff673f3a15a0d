import type { ServiceReport } from '../../events/reported/service.ts';
import { type Decision, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { dueAt, healthEvent, type ServiceEvent } from './move.ts';
import { type Ask, type AskResult, resultsMax, type Service } from './service.ts';

type Answered = Extract<ServiceReport, { type: 'service.answered' }>['data'];

/**
 * Applies the answer to a check, a status request or a message. A question that was answered no longer waits. A check
 * that was not requested and finds the same health as the last one is no news: services are checked each second, and
 * rows are not written each second for that. If such a check was news to its agent, it overtook the report of another
 * check that found the opposite. It is then noted, so that the overtaken report changes nothing when it arrives.
 */
export function onAnswer(service: Service, answer: Answered, also: Partial<Service>, now: EpochMs): Decision<Service> {
  const { ask, what, message, exit, says, again } = answer;
  const healthy = what === 'check' ? exit === 0 : service.healthy;
  if (ask === undefined && what === 'check' && healthy === service.healthy) {
    const because = healthy ? 'a check finds it well, as before' : 'a check finds it not well, as before';
    return again ? nothing(because) : write<Service, never>({ ...service, ...also }, because, { wakeAt: dueAt(service) });
  }
  if (ask !== undefined && service.results.some((one) => one.ask === ask)) return nothing(`${ask} was answered already`);
  const result: AskResult = {
    what,
    says,
    at: now,
    ...(ask !== undefined && { ask }),
    ...(message !== undefined && { message }),
    ...(exit === undefined ? { late: true as const } : { exit }),
  };
  const next: Service = {
    ...service,
    ...also,
    asks: waiting(service.asks, now).filter(({ id }) => id !== ask),
    results: [...service.results, result].slice(-resultsMax),
    ...(healthy !== undefined && { healthy }),
  };
  const isNews = healthy !== undefined && healthy !== (service.healthy ?? true);
  const events: ServiceEvent[] = isNews ? [healthEvent(next, healthy, says)] : [];
  return write(next, `${nameOf(answer)}: ${exit === undefined ? 'it took too long' : `exit ${exit}`}`, { events, wakeAt: dueAt(next) });
}

const nameOf = ({ what, message }: Answered): string => (what === 'message' ? `answer to ${message}` : what);

/** The questions to which an answer is still of use. */
export const waiting = (asks: readonly Ask[], now: EpochMs): Ask[] => asks.filter(({ until }) => until > now);
