import type { ProcessReport } from '../../../events/reported/process.ts';
import { type Decision, type Nothing, nothing, write } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { dueAt, type Moved, moved, retried, type Surroundings } from './move.ts';
import { isHalon, isManaged, type MeroProcess, type ProcessMove } from './process.ts';

/** A report that cannot be true: it changes nothing, but is worth noting. */
export type Refused = Nothing & { readonly refused: true };
const refused = (because: string): Refused => ({ ...nothing(because), refused: true });

/**
 * Decides on a report about a process, from an agent or from automation. A report that is older than the last one, or
 * about another life, changes nothing.
 */
export function onReport(
  process: MeroProcess,
  report: ProcessReport,
  surroundings: Surroundings,
  now: EpochMs,
): Decision<MeroProcess> | Refused {
  if (isHalon(process)) return refused(`${process.fid} is Halon's own process: its state follows from its node`);
  const stale = whyStale(process, report) ?? whyOther(process, report);
  if (stale !== undefined) return nothing(stale);
  const heard = heardBy(report);
  switch (report.type) {
    case 'process.starting':
      return begins(process, report, surroundings, now);
    case 'process.started':
      return to(
        process,
        ready(process, report, surroundings),
        { because: 'it was reported ready', also: { ...heard, ...lifeOf(process, report) } },
        surroundings,
        now,
      );
    case 'process.stopping':
      return to(
        process,
        stopping(process, surroundings),
        { because: stopsBy(surroundings), also: { ...heard, ...lifeOf(process, report) } },
        surroundings,
        now,
      );
    case 'process.stopped':
      return ends(process, report, surroundings, now);
    case 'process.failed':
      return fails(process, report, surroundings, now);
  }
}

/**
 * Why a report is outdated, if it is. Reports of an agent are numbered within each of its boots. A report by the bus is
 * identified by its id, and ordered by when it was received.
 */
function whyStale({ heard, word }: MeroProcess, { id, node, incarnation, seq, receivedAt }: ProcessReport): string | undefined {
  if (incarnation === undefined || seq === undefined)
    return word && (word.report === id || receivedAt < word.at) ? 'older than the last report by the bus, or a repetition' : undefined;
  if (!heard || heard.node !== node || heard.incarnation < incarnation) return undefined;
  if (heard.incarnation > incarnation) return `report of incarnation ${incarnation}; the last was of ${heard.incarnation}`;
  return seq > heard.seq ? undefined : `report ${seq} after report ${heard.seq}`;
}

/**
 * Why a report is about another life than the one on record, if it is: it came late, or its pid is wrong. A start
 * begins a new life.
 */
function whyOther({ running }: MeroProcess, { type, data: { pid, born } }: ProcessReport): string | undefined {
  if (type === 'process.starting' || !running || pid === undefined) return undefined;
  if (running.pid !== pid) return `report about pid ${pid}; pid ${running.pid} is on record`;
  const isReused = running.born !== undefined && born !== undefined && running.born !== born;
  return isReused ? `report about pid ${pid} that began at ${born}; the one on record began at ${running.born}` : undefined;
}

/** The fields of a row that record the last report: its sender and number, or its id and time. */
const heardBy = ({ id, node, incarnation, seq, receivedAt }: ProcessReport): Pick<MeroProcess, 'heard' | 'word'> =>
  incarnation !== undefined && seq !== undefined ? { heard: { node, incarnation, seq } } : { word: { at: receivedAt, report: id } };

/** The pid and start that a report gives, completed by the life on record. */
const lifeOf = ({ running }: Partial<MeroProcess>, { data: { pid, born } }: ProcessReport): Pick<MeroProcess, 'running'> => {
  const life = pid === undefined ? running : { ...(running?.pid === pid && running), pid, ...(born !== undefined && { born }) };
  return life ? { running: life } : {};
};

/** The process after these moves, or a refusal that names its state. */
function to(
  process: MeroProcess,
  moves: readonly ProcessMove[],
  move: Moved,
  surroundings: Surroundings,
  now: EpochMs,
): Decision<MeroProcess> | Refused {
  return moved(process, moves, move, surroundings, now) ?? refused(`it is ${process.state.is}: it cannot become ${moves.at(-1)}`);
}

function begins(process: MeroProcess, report: ProcessReport, surroundings: Surroundings, now: EpochMs): Decision<MeroProcess> | Refused {
  const { running: _before, ...anew } = process;
  const also = { ...heardBy(report), ...lifeOf({}, report) };
  return to(anew, ['starting'], { because: 'it was reported starting', also }, surroundings, now);
}

/**
 * The moves of a report that a process is ready. On a new attempt it may overtake the report of the start, which is
 * then too old to count.
 */
const ready = (process: MeroProcess, { seq }: ProcessReport, surroundings: Surroundings): readonly ProcessMove[] =>
  seq !== undefined && isAttempt(process, surroundings) ? ['starting', 'online'] : ['online'];

/**
 * The moves of a report that a process stops. A process that must stop was ordered to: it is quiescing since that
 * order, and strictly goes on from there. Any other process stops by itself.
 */
const stopping = ({ state }: MeroProcess, { goal }: Surroundings): readonly ProcessMove[] => {
  if (goal === 'stop' && state.is === 'online') return ['quiescing', 'stopping'];
  return goal === 'stop' && state.is === 'quiescing' ? ['stopping'] : ['stopping by itself'];
};
const stopsBy = ({ goal }: Surroundings): string => (goal === 'stop' ? 'it stops as ordered' : 'it stops by itself');

type Ended = Extract<ProcessReport, { type: 'process.stopped' }>;

/**
 * The process has ended. An unmanaged process may end at any time; if it is offline already, the report is recorded, so
 * that reports of its lives before, which arrive later, do not bring it online. A managed process that had to stop has
 * stopped, whether or not its stopping was reported; any other has failed.
 */
function ends(process: MeroProcess, report: Ended, surroundings: Surroundings, now: EpochMs): Decision<MeroProcess> | Refused {
  const { exit } = report.data;
  const also = heardBy(report);
  if (process.state.is === 'offline' && !isManaged(process) && report.seq !== undefined)
    return write<MeroProcess, never>({ ...process, ...also }, 'it had already ended');
  const reason = exit === undefined ? 'exited' : `exited with status ${exit}`;
  const moves = endOf(process, surroundings);
  return to(process, moves, { because: moves.at(-1) === 'exited managed' ? reason : 'it has ended', reason, also }, surroundings, now);
}

/** The moves that lead from the present state of a process to its end. */
export function endOf(process: MeroProcess, { goal }: Surroundings): readonly ProcessMove[] {
  const { is } = process.state;
  if (is === 'stopping') return ['stopped'];
  if (!isManaged(process)) return ['exited unmanaged'];
  if (goal !== 'stop') return ['exited managed'];
  if (is === 'online') return ['quiescing', 'stopping', 'stopped'];
  return is === 'quiescing' ? ['stopping', 'stopped'] : ['stopping by itself', 'stopped'];
}

type Failed = Extract<ProcessReport, { type: 'process.failed' }>;

/**
 * The moves of a report of failure. A queue may deliver the failure of an attempt before its start, whose report is
 * then too old to count. Without a move from offline the process would wait forever.
 */
const failing = ({ state }: MeroProcess, { goal }: Surroundings): readonly ProcessMove[] =>
  state.is === 'offline' && goal !== 'stop' ? ['failed to start'] : ['failed'];

/**
 * Whether a failure is that of a restart attempt: the process had already failed, and its restart was scheduled, or it
 * must run and its agent has tried it.
 */
const isAttempt = ({ state, retryAt, attempts = 0 }: MeroProcess, { goal, limits }: Surroundings): boolean =>
  state.is === 'failed' && (retryAt !== undefined || (goal === 'run' && attempts < limits.attemptsMax));

/** The process has failed. If it had already failed and its restart was scheduled, the attempt has failed. */
function fails(process: MeroProcess, report: Failed, surroundings: Surroundings, now: EpochMs): Decision<MeroProcess> | Refused {
  const { reason } = report.data;
  const also = heardBy(report);
  if (!isAttempt(process, surroundings))
    return to(process, failing(process, surroundings), { because: reason, reason, also }, surroundings, now);
  const { retryAt: _watched, ...rest } = process;
  const next: MeroProcess = { ...rest, state: { is: 'failed', reason }, ...retried(process, surroundings, now), ...also };
  return write<MeroProcess, never>(next, `the attempt has failed: ${reason}`, { wakeAt: dueAt(next, surroundings.limits) });
}
