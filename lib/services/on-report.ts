import type { ServiceReport } from '../../events/reported/service.ts';
import { type Decision, isSame, type Nothing, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { atBorder, heardAfter, heardConfigured, heardNaming, heardOf, heldSince } from './heard.ts';
import { attemptsMax, dueAt, holdsItsOwn, type Moved, moved, started } from './move.ts';
import { onAnswer } from './on-answer.ts';
import { type OfType, onConfigured } from './on-configured.ts';
import { acquire, release } from './on-resource.ts';
import type { ServiceSchema } from './rows/service-type.ts';
import { instanceOf, isSameProcess, type ResourceHolders, type Service, type ServiceMove } from './service.ts';
import { isOfResource, whyStale } from './stale.ts';

/** Nothing changes, because the report describes something impossible. It is marked, so that it can be noticed. */
export type Refused = Nothing & { readonly refused: true };
const refused = (because: string): Refused => ({ ...nothing(because), refused: true });

/**
 * The context of a report besides the row of its service: the holders of the resource that it names, the resources that
 * its type may hold, and that type.
 */
export type Surroundings = OfType & {
  readonly holders?: ResourceHolders | undefined;
  readonly mayHold?: ServiceSchema['resources'] | undefined;
};

/**
 * Applies a report of an agent, or of automation, about a service. A report that is older than the last one applied, or
 * about another instance, changes nothing.
 */
export function onReport(before: Service, report: ServiceReport, surroundings: Surroundings, now: EpochMs): Decision<Service> | Refused {
  if (report.data.instance !== instanceOf(before))
    return nothing(`the report is of instance ${report.data.instance}; on record is ${instanceOf(before)}`);
  const known = isBorder(report) ? atBorder(before, report) : before;
  const decision = decideReport(known, report, surroundings, now);
  // Even a report that is too late sets the point from which reports about resources count.
  if (decision.does !== 'nothing' || known === before) return decision;
  return { ...write<Service, never>(known, decision.because, { wakeAt: dueAt(known) }), ...('refused' in decision && { refused: true }) };
}

/** Whether a process of the instance begins or ends with the report, so that no resource is held across it. */
const isBorder = ({ type, data }: ServiceReport): boolean =>
  type === 'service.starting' || type === 'service.stopped' || (type === 'service.failed' && data.exit !== undefined);

function decideReport(known: Service, report: ServiceReport, surroundings: Surroundings, now: EpochMs): Decision<Service> | Refused {
  const stale = whyStale(known, report);
  if (stale !== undefined) return nothing(stale);
  const service = hasBegun(report) ? holdsItsOwn(known) : known;
  const also = { ...heardBy(service, report), ...processOf(service, report) };
  switch (report.type) {
    case 'service.starting':
      return begins(service, also, now);
    case 'service.started':
      return isEarly(service, report)
        ? begunAndReady(service, { also, reached: reached(report) }, now)
        : ready(service, { ...also, ...reached(report) }, now);
    case 'service.stopping':
      return stops(service, also, now);
    case 'service.stopped':
      return ends(service, report, now);
    case 'service.failed':
      return fails(service, report, now);
    case 'service.acquired':
      return acquire(service, report.data, { ...surroundings, isOfNext: isOfNext(service, report), also: heardBy(service, report) }, now);
    case 'service.released':
      return release(service, report.data, heardBy(service, report));
    case 'service.configured':
      return onConfigured(service, report, { ...surroundings, isOfNext: isOfNext(service, report), also: heardBy(service, report) }, now);
    case 'service.answered':
      return onAnswer(service, report.data, heardBy(service, report), now);
  }
}

/** Whether a report about a failed service concerns the next process, whose beginning was not reported yet. */
const isOfNext = ({ running }: Service, { seq, data: { pid, born } }: ServiceReport): boolean =>
  seq !== undefined && (running === undefined || (pid !== undefined && !isSameProcess(running, { pid, born })));

/**
 * Whether the instance has begun. An instance that could not be started, perhaps because the previous one does not end,
 * has no process. Any other report about an instance implies that it has begun.
 */
const hasBegun = ({ type, data }: ServiceReport): boolean => type !== 'service.failed' || data.pid !== undefined;

/** The fields of a row that record the source of the last report. */
function heardBy({ heard }: Pick<Service, 'heard'>, report: ServiceReport): Pick<Service, 'heard' | 'word'> {
  const { id, node, incarnation, seq, receivedAt } = report;
  if (incarnation === undefined || seq === undefined) return { word: { at: receivedAt, report: id } };
  const source = { node, incarnation, seq };
  if (report.type === 'service.configured') return { heard: heardConfigured(heard, source) };
  if (namesProcess(report)) return { heard: heardNaming(heard, source) };
  return { heard: isOfResource(report) ? heardOf(heard, source, report.data) : heardAfter(heard, source) };
}

/** Whether the process of a report is the one on record from then on, see {@link processOf}. */
const namesProcess = ({ type, data: { pid } }: ServiceReport): boolean =>
  pid !== undefined && (type === 'service.starting' || type === 'service.started' || type === 'service.stopping');

/** The process that a report names, as far as it does. */
const processOf = ({ running }: Service, { data: { pid, born } }: ServiceReport): Pick<Service, 'running'> => {
  const named = pid === undefined ? running : { ...(running?.pid === pid && running), pid, ...(born !== undefined && { born }) };
  return named ? { running: named } : {};
};

type Ready = Extract<ServiceReport, { type: 'service.started' }>;
const reached = ({ data: { address, version } }: Ready): Pick<Service, 'address' | 'version'> => ({
  ...(address !== undefined && { address }),
  ...(version !== undefined && { version }),
});

function to(service: Service, move: ServiceMove, how: Moved, now: EpochMs): Decision<Service> | Refused {
  return moved(service, move, how, now) ?? refused(`it is ${service.state.is}: it cannot become ${move}`);
}

/** The cause of a new start where the agent may not know the latest order. */
const perhapsBefore = 'its agent has restarted it, perhaps with an earlier order';

/**
 * The agent reports that it starts the service, and with which process. The time limit counts from here. If the service
 * was due for another attempt, its agent has made that attempt by itself.
 */
function begins(service: Service, also: Partial<Service>, now: EpochMs): Decision<Service> | Refused {
  const { is } = service.state;
  if (is === 'failed' && service.retryAt !== undefined && !service.running) {
    const attempts = (service.attempts ?? 0) + 1;
    if (service.accepted) return started(service, { because: perhapsBefore, also: { ...also, attempts } }, now);
    const because = `attempt ${attempts} of ${attemptsMax} to start it again, by its agent while disconnected`;
    return to(service, 'started again', { because, also: { ...also, attempts } }, now);
  }
  if (is !== 'starting') return refused(`it is ${is}: it cannot become starting`);
  const next: Service = { ...service, ...also, since: now };
  return write<Service, never>(next, 'it is being started', { wakeAt: dueAt(next) });
}

/** The service is ready. A service that is online already may report a new address. */
function ready(service: Service, also: Partial<Service>, now: EpochMs): Decision<Service> | Refused {
  if (service.state.is !== 'online') return to(service, 'online', { because: 'it is ready', also }, now);
  const next: Service = { ...service, ...also };
  return isSame({ ...next, heard: 0, word: 0 }, { ...service, heard: 0, word: 0 })
    ? nothing('it is online already')
    : write<Service, never>(next, 'it reported another address or version');
}

/** Whether a report that a process is ready has overtaken the report that this process begins. */
const isEarly = (service: Service, report: Ready): boolean => service.state.is === 'failed' && isOfNext(service, report);

type Readied = { readonly also: Partial<Service>; readonly reached: Partial<Service> };

/** The service has begun, and is ready: its agent reports the last of it once. */
function begunAndReady(service: Service, { also, reached }: Readied, now: EpochMs): Decision<Service> | Refused {
  const begun = begins(service, also, now);
  if (begun.does !== 'write' || begun.next.start !== service.start) return begun;
  const online = ready(begun.next, { ...also, ...reached }, now);
  return online.does === 'write'
    ? { ...online, because: `${begun.because}; it is ready`, events: [...begun.events, ...online.events] }
    : online;
}

/** The service is about to end. This is known already if it was ordered to stop, or has failed. */
function stops(service: Service, also: Partial<Service>, now: EpochMs): Decision<Service> | Refused {
  const { is } = service.state;
  if (is === 'stopping' || is === 'failed') return nothing(`it is ${is} already`);
  return to(service, 'stopping', { because: 'it stops by itself', also }, now);
}

type Ended = Extract<ServiceReport, { type: 'service.stopped' }>;

/**
 * The end of the instance. A service that an operator stops, or that announced its end and ended well, is unregistered.
 * Any other has failed. The exit status is unknown of a process that the agent found again after its own restart; its
 * announcement counts.
 */
function ends(service: Service, report: Ended, now: EpochMs): Decision<Service> | Refused {
  const { exit } = report.data;
  const reason = exit === undefined ? 'exited' : `exited with status ${exit}`;
  const { is } = service.state;
  if (service.stopping) return to(service, 'stopped', { because: `it has stopped: ${reason}`, ended: true }, now);
  if (is === 'stopping' && (exit ?? 0) === 0)
    return to(service, 'stopped', { because: `it has ended by itself: ${reason}`, ended: true }, now);
  return is === 'failed'
    ? over(service, report, reason)
    : to(service, 'failed', { because: reason, also: afterEnd(service, report), ended: true, holds: heldSince(service, report) }, now);
}

/**
 * The fields that survive the end of a process: the drift that the next process has reported, if that report came
 * first.
 */
const afterEnd = (service: Service, report: ServiceReport): Partial<Service> => ({
  ...heardBy(service, report),
  ...(service.drift && report.seq !== undefined && (service.heard?.configured ?? 0) > report.seq && { drift: service.drift }),
});

type Failed = Extract<ServiceReport, { type: 'service.failed' }>;

/**
 * The service has failed. With an exit status, or if there was never a process, it has ended as well. Otherwise it may
 * still run.
 */
function fails(service: Service, report: Failed, now: EpochMs): Decision<Service> | Refused {
  const { reason, exit, pid, refused: final } = report.data;
  const ended = exit !== undefined || (pid === undefined && service.running === undefined && !service.heldBefore);
  if (service.state.is === 'failed') return ended ? over(service, report, reason) : nothing('it has failed already');
  const holds = exit === undefined ? [] : heldSince(service, report);
  return to(service, 'failed', { because: reason, reason, also: afterEnd(service, report), ended, holds, final }, now);
}

/** A failed service has ended as well. */
function over(service: Service, report: ServiceReport, reason: string): Decision<Service> {
  const { running, address: _address, version: _version, heldBefore: _before, drift: _drift, ...rest } = service;
  const resources = heldSince(service, report);
  if (!running && service.resources.length === resources.length) return nothing('it has failed already');
  const next: Service = { ...rest, ...afterEnd(service, report), resources };
  return write<Service, never>(next, `its remaining process has ended: ${reason}`, { wakeAt: dueAt(next) });
}
