import type { ServiceReport } from '../../events/reported/service.ts';
import { type Decision, isSame, type Nothing, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { atBorder, heardAfter, heardConfigured, heardOf, heldSince, lastConfigured, lastWordOf } from './heard.ts';
import { attemptsMax, dueAt, holdsItsOwn, type Moved, moved, started } from './move.ts';
import { onAnswer } from './on-answer.ts';
import { type OfType, onConfigured } from './on-configured.ts';
import { acquire, release } from './on-resource.ts';
import type { ServiceSchema } from './rows/service-type.ts';
import { instanceOf, type ResourceHolders, type Service, type ServiceMove } from './service.ts';

/** Nothing changes, and somebody may want to know: what was reported cannot be. */
export type Refused = Nothing & { readonly refused: true };
const refused = (because: string): Refused => ({ ...nothing(because), refused: true });

/**
 * What a report rests on besides the row of its service: who holds the resource that it speaks of, which ones its type
 * may hold, and that type.
 */
export type Around = OfType & { readonly holders?: ResourceHolders | undefined; readonly mayHold?: ServiceSchema['resources'] | undefined };

/**
 * What an agent, or automation, says of a service. What is older than what was heard, or of another instance, changes
 * nothing.
 */
export function onReport(before: Service, report: ServiceReport, around: Around, now: EpochMs): Decision<Service> | Refused {
  if (report.data.instance !== instanceOf(before))
    return nothing(`of instance ${report.data.instance}; on record is ${instanceOf(before)}`);
  const known = isBorder(report) ? atBorder(before, report) : before;
  const decision = onWord(known, report, around, now);
  // Whatever else it comes too late for, it says from when on the words about resources count.
  if (decision.does !== 'nothing' || known === before) return decision;
  return { ...write<Service, never>(known, decision.because, { wakeAt: dueAt(known) }), ...('refused' in decision && { refused: true }) };
}

/** Whether a life of the instance begins or ends with it, so that nothing is held through it. */
const isBorder = ({ type, data }: ServiceReport): boolean =>
  type === 'service.starting' || type === 'service.stopped' || (type === 'service.failed' && data.exit !== undefined);

function onWord(known: Service, report: ServiceReport, around: Around, now: EpochMs): Decision<Service> | Refused {
  const stale = whyOther(known, report) ?? whyStale(known, report);
  if (stale !== undefined) return nothing(stale);
  const service = hasBegun(report) ? holdsItsOwn(known) : known;
  const also = { ...heardBy(service, report), ...lifeOf(service, report) };
  switch (report.type) {
    case 'service.starting':
      return begins(service, also, now);
    case 'service.started':
      return ready(service, { ...also, ...reached(report) }, now);
    case 'service.stopping':
      return stops(service, also, now);
    case 'service.stopped':
      return ends(service, report, now);
    case 'service.failed':
      return fails(service, report, now);
    case 'service.acquired':
      return acquire(service, report.data, { ...around, isOfNext: isOfNext(service, report), also: heardBy(service, report) }, now);
    case 'service.released':
      return release(service, report.data, heardBy(service, report));
    case 'service.configured':
      return onConfigured(service, report, { ...around, isOfNext: isOfNext(service, report), also: heardBy(service, report) }, now);
    case 'service.answered':
      return onAnswer(service, report.data, heardBy(service, report), now);
  }
}

/** Whether a word of what has failed speaks of the life after that one, whose beginning is not heard yet. */
const isOfNext = ({ running }: Service, { seq, data: { pid } }: ServiceReport): boolean =>
  seq !== undefined && (running === undefined || (pid !== undefined && pid !== running.pid));

/**
 * An agent that was alone has started it again: the end of the life before may be heard late, and says nothing of the
 * one that runs.
 */
function whyOther({ running }: Service, { type, data: { pid } }: ServiceReport): string | undefined {
  const isEnd = type === 'service.stopped' || type === 'service.failed';
  return isEnd && running && pid !== undefined && pid !== running.pid ? `of pid ${pid}; on record is ${running.pid}` : undefined;
}

/**
 * One that could not be begun, perhaps because the one before does not end, has no process; whatever else is said of an
 * instance, it has begun.
 */
const hasBegun = ({ type, data }: ServiceReport): boolean => type !== 'service.failed' || data.pid !== undefined;

/**
 * Words of an agent are counted in each of its boots; what comes by the bus is known by its id and by when it was sent.
 */
function whyStale(service: Service, report: ServiceReport): string | undefined {
  const { heard, word } = service;
  const { id, node, incarnation, seq, receivedAt } = report;
  if (incarnation === undefined || seq === undefined)
    return word && (word.report === id || receivedAt < word.at) ? 'said before the last word by the bus' : undefined;
  if (!heard || heard.node !== node || heard.incarnation < incarnation) return undefined;
  if (heard.incarnation > incarnation) return `a report of incarnation ${incarnation}; it was heard of in ${heard.incarnation}`;
  const last = lastOf(heard, report);
  return seq > last || isNewOfItsLife(service, report) ? undefined : `report ${seq} after report ${last}`;
}

/**
 * Whether a word leads on in the life of the instance, which goes one way: it is started, stops and ends, each once.
 * What was said later and has overtaken it, such as that a check found nothing there, says nothing of that, and a word
 * of its end is said once alone.
 */
function isNewOfItsLife({ state: { is } }: Service, { type, data }: ServiceReport): boolean {
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

const isOfResource = (report: ServiceReport): report is Extract<ServiceReport, { type: 'service.acquired' | 'service.released' }> =>
  report.type === 'service.acquired' || report.type === 'service.released';

/**
 * The number of the last word that a report comes after, if it is news: each resource, and its configuration, is spoken
 * of for itself.
 */
function lastOf(heard: NonNullable<Service['heard']>, report: ServiceReport): number {
  if (report.type === 'service.configured') return lastConfigured(heard);
  // A beginning is itself the last border of a life that there was, or comes after it.
  if (report.type === 'service.starting') return Math.max(heard.seq, (heard.saidTo ?? 0) - 1);
  return isOfResource(report) ? lastWordOf(heard, report.data) : heard.seq;
}

/** What a row keeps of whose word it heard last. */
function heardBy({ heard }: Pick<Service, 'heard'>, report: ServiceReport): Pick<Service, 'heard' | 'word'> {
  const { id, node, incarnation, seq, receivedAt } = report;
  if (incarnation === undefined || seq === undefined) return { word: { at: receivedAt, report: id } };
  const word = { node, incarnation, seq };
  if (report.type === 'service.configured') return { heard: heardConfigured(heard, word) };
  return { heard: isOfResource(report) ? heardOf(heard, word, report.data) : heardAfter(heard, word) };
}

/** The life that a report speaks of, as far as it does. */
const lifeOf = ({ running }: Service, { data: { pid, born } }: ServiceReport): Pick<Service, 'running'> => {
  const life = pid === undefined ? running : { ...(running?.pid === pid && running), pid, ...(born !== undefined && { born }) };
  return life ? { running: life } : {};
};

type Ready = Extract<ServiceReport, { type: 'service.started' }>;
const reached = ({ data: { address, version } }: Ready): Pick<Service, 'address' | 'version'> => ({
  ...(address !== undefined && { address }),
  ...(version !== undefined && { version }),
});

function to(service: Service, move: ServiceMove, how: Moved, now: EpochMs): Decision<Service> | Refused {
  return moved(service, move, how, now) ?? refused(`it is ${service.state.is}: it cannot become ${move}`);
}

/** Why one is started anew of which its agent may not have heard what is ordered since. */
const perhapsBefore = 'its agent has started it again, perhaps as it was ordered before';

/**
 * It was to be started, and is now: its agent says with which process, and it has its time from here. One that was to
 * be tried again its agent has tried by itself.
 */
function begins(service: Service, also: Partial<Service>, now: EpochMs): Decision<Service> | Refused {
  const { is } = service.state;
  if (is === 'failed' && service.retryAt !== undefined && !service.running) {
    const attempts = (service.attempts ?? 0) + 1;
    if (service.accepted) return started(service, { because: perhapsBefore, also: { ...also, attempts } }, now);
    const because = `attempt ${attempts} of ${attemptsMax} to start it again, by its agent while it was alone`;
    return to(service, 'started again', { because, also: { ...also, attempts } }, now);
  }
  if (is !== 'starting') return refused(`it is ${is}: it cannot become starting`);
  const next: Service = { ...service, ...also, since: now };
  return write<Service, never>(next, 'it is being started', { wakeAt: dueAt(next) });
}

/** It is ready; of one that is online already it may say anew where it can be reached. */
function ready(service: Service, also: Partial<Service>, now: EpochMs): Decision<Service> | Refused {
  if (service.state.is !== 'online') return to(service, 'online', { because: 'it is ready', also }, now);
  const next: Service = { ...service, ...also };
  return isSame({ ...next, heard: 0, word: 0 }, { ...service, heard: 0, word: 0 })
    ? nothing('it is online already')
    : write<Service, never>(next, 'it says anew where it is');
}

/** It is about to end. Of one that was told to, or that has failed, this is known. */
function stops(service: Service, also: Partial<Service>, now: EpochMs): Decision<Service> | Refused {
  const { is } = service.state;
  if (is === 'stopping' || is === 'failed') return nothing(`it is ${is} already`);
  return to(service, 'stopping', { because: 'it stops by itself', also }, now);
}

type Ended = Extract<ServiceReport, { type: 'service.stopped' }>;

/**
 * Its end. One that an operator stops, or that announced its end and ended well, is registered no more; any other has
 * failed. How one ended that the agent has found again nobody can say: it is believed what it announced.
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
 * What is kept through the end of a life: what the next one has said that it runs with, if the word of that came first.
 */
const afterEnd = (service: Service, report: ServiceReport): Partial<Service> => ({
  ...heardBy(service, report),
  ...(service.drift && report.seq !== undefined && (service.heard?.configured ?? 0) > report.seq && { drift: service.drift }),
});

type Failed = Extract<ServiceReport, { type: 'service.failed' }>;

/** It has failed. With how it ended it has ended, too; without, it may run on for all that anybody knows. */
function fails(service: Service, report: Failed, now: EpochMs): Decision<Service> | Refused {
  const { reason, exit, pid, refused: final } = report.data;
  const ended = exit !== undefined || (pid === undefined && service.running === undefined && !service.heldBefore);
  if (service.state.is === 'failed') return ended ? over(service, report, reason) : nothing('it has failed already');
  const holds = exit === undefined ? [] : heldSince(service, report);
  return to(service, 'failed', { because: reason, reason, also: afterEnd(service, report), ended, holds, final }, now);
}

/** One that had failed has ended, too. */
function over(service: Service, report: ServiceReport, reason: string): Decision<Service> {
  const { running, address: _address, version: _version, heldBefore: _before, drift: _drift, ...rest } = service;
  const resources = heldSince(service, report);
  if (!running && service.resources.length === resources.length) return nothing('it has failed already');
  const next: Service = { ...rest, ...afterEnd(service, report), resources };
  return write<Service, never>(next, `what was left of it has ended: ${reason}`, { wakeAt: dueAt(next) });
}
