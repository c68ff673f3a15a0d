import type { ServiceReport } from '../../events/reported/service.ts';
import { type Decision, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { dueAt, healthEvent, type ServiceEvent } from './move.ts';
import { type Ask, type AskResult, resultsMax, type Service } from './service.ts';

type Answered = Extract<ServiceReport, { type: 'service.answered' }>['data'];

/**
 * What came of a check, a status or a message. One that was asked for is asked no more. A check that nobody asked for
 * and that found what the last one did is no news: services are checked each second, and rows are not written each
 * second for it. One that was news to its agent, and is none here, has overtaken the word of another that found it
 * otherwise: it is noted, so that this one says nothing when it comes.
 */
export function onAnswer(service: Service, said: Answered, also: Partial<Service>, now: EpochMs): Decision<Service> {
  const { ask, what, message, exit, says, again } = said;
  const healthy = what === 'check' ? exit === 0 : service.healthy;
  if (ask === undefined && what === 'check' && healthy === service.healthy) {
    const because = healthy ? 'it is well still' : 'it is not well still';
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
  return write(next, `${wordOf(said)}: ${exit === undefined ? 'it took too long' : `exit ${exit}`}`, { events, wakeAt: dueAt(next) });
}

const wordOf = ({ what, message }: Answered): string => (what === 'message' ? `answer to ${message}` : what);

/** The questions that an answer is still of use to. */
export const waiting = (asks: readonly Ask[], now: EpochMs): Ask[] => asks.filter(({ until }) => until > now);
