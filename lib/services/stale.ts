import type { ServiceReport } from '../../events/reported/service.ts';
import { heardOfBoot, isBeforeBorder, lastConfigured, lastReportOf } from './heard.ts';
import { isSameProcess, type Service } from './service.ts';

/** Why a report changes nothing about a service: it is about another process, or out of date. Undefined otherwise. */
export const whyStale = (service: Service, report: ServiceReport): string | undefined =>
  whyOther(service, report) ?? whyLate(service, report);

/**
 * Why a report concerns another process than the one that runs. An agent that was disconnected restarts a service by
 * itself. What it has reported of the earlier process may then arrive late, and means nothing for the present one; nor
 * does the end of any other process. Under the number by which the process on record runs, another one is that of a
 * second machine with the same boot.
 */
function whyOther({ state, running, heard }: Service, report: ServiceReport): string | undefined {
  const { type, seq, data } = report;
  const { pid, born } = data;
  const isEnd = type === 'service.stopped' || type === 'service.failed';
  // A process that was ready or about to end before another one was reported to begin, or to have ended, has ended. So
  // has what ended before a process that begins and has no pid on record yet.
  const isOver = type === 'service.started' || type === 'service.stopping' || (isEnd && !running && state.is === 'starting');
  if (isOver && isBeforeBorder(heard, report)) return `report ${seq} is of a process that had ended by report ${heard?.saidTo}`;
  if (!running || pid === undefined || isSameProcess(running, { pid, born })) return undefined;
  const isEarlier = seq !== undefined && seq <= (heardOfBoot(heard, report)?.named ?? -1);
  if (!isEnd && !isEarlier) return undefined;
  return pid === running.pid
    ? `the report is of another process with pid ${pid}`
    : `the report is of pid ${pid}; on record is ${running.pid}`;
}

/**
 * Why a report is out of date. Agents number their reports within each boot. Reports by the bus are known by their id
 * and the time of their receipt.
 */
function whyLate(service: Service, report: ServiceReport): string | undefined {
  const { heard, word } = service;
  const { id, node, incarnation, seq, receivedAt } = report;
  if (incarnation === undefined || seq === undefined)
    return word && (word.report === id || receivedAt < word.at) ? 'not newer than the last report by the bus' : undefined;
  if (!heard || heard.node !== node || heard.incarnation < incarnation) return undefined;
  if (heard.incarnation > incarnation) return `the report is of incarnation ${incarnation}; the last one was of ${heard.incarnation}`;
  const last = lastOf(heard, report);
  return seq > last || movesForward(service, report) ? undefined : `report ${seq} arrived after report ${last}`;
}

/**
 * Whether a report moves the instance forward: it starts, stops and ends, each once and in this order. A later report
 * that overtook this one, such as a check that found nothing there, does not contradict it. The end is reported only
 * once.
 */
function movesForward({ state: { is } }: Service, { type, data }: ServiceReport): boolean {
  switch (type) {
    case 'service.started':
      return is === 'starting';
    case 'service.stopping':
      return is === 'starting' || is === 'online';
    case 'service.stopped':
      return true;
    case 'service.failed':
      return data.exit !== undefined;
    default:
      return false;
  }
}

/** Whether a report is about a resource. */
export const isOfResource = (report: ServiceReport): report is Extract<ServiceReport, { type: 'service.acquired' | 'service.released' }> =>
  report.type === 'service.acquired' || report.type === 'service.released';

/** The number that a report must exceed to be news: each resource, and the configuration, is counted on its own. */
function lastOf(heard: NonNullable<Service['heard']>, report: ServiceReport): number {
  if (report.type === 'service.configured') return lastConfigured(heard);
  // A beginning is itself the last border between two processes, or comes after it.
  if (report.type === 'service.starting') return Math.max(heard.seq, (heard.saidTo ?? 0) - 1);
  return isOfResource(report) ? lastReportOf(heard, report.data) : heard.seq;
}
