import type { ProcessReport } from '../../../events/reported/process.ts';
import { type Decision, type Nothing, nothing, write } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { type Around, dueAt, type Moved, moved, retried } from './move.ts';
import { isHalon, isManaged, type MeroProcess, type ProcessMove } from './process.ts';

/** Nothing changes, and somebody may want to know: what was reported cannot be. */
export type Refused = Nothing & { readonly refused: true };
const refused = (because: string): Refused => ({ ...nothing(because), refused: true });

/**
 * What an agent, or automation, says of a process. What is older than what was heard, or of another life, changes
 * nothing.
 */
export function onReport(process: MeroProcess, report: ProcessReport, around: Around, now: EpochMs): Decision<MeroProcess> | Refused {
  if (isHalon(process)) return refused(`${process.fid} is Halon's own process: its node says how it is`);
  const stale = whyStale(process, report) ?? whyOther(process, report);
  if (stale !== undefined) return nothing(stale);
  const heard = heardBy(report);
  switch (report.type) {
    case 'process.starting':
      return begins(process, report, around, now);
    case 'process.started':
      return to(
        process,
        ready(process, report, around),
        { because: 'it is ready', also: { ...heard, ...lifeOf(process, report) } },
        around,
        now,
      );
    case 'process.stopping':
      return to(
        process,
        stopping(process, around),
        { because: stopsBy(around), also: { ...heard, ...lifeOf(process, report) } },
        around,
        now,
      );
    case 'process.stopped':
      return ends(process, report, around, now);
    case 'process.failed':
      return fails(process, report, around, now);
  }
}

/**
 * Words of an agent are counted in each of its boots; what comes by the bus is known by its id and by when it was sent.
 */
function whyStale({ heard, word }: MeroProcess, { id, node, incarnation, seq, receivedAt }: ProcessReport): string | undefined {
  if (incarnation === undefined || seq === undefined)
    return word && (word.report === id || receivedAt < word.at) ? 'said before the last word by the bus' : undefined;
  if (!heard || heard.node !== node || heard.incarnation < incarnation) return undefined;
  if (heard.incarnation > incarnation) return `a report of incarnation ${incarnation}; it was heard of in ${heard.incarnation}`;
  return seq > heard.seq ? undefined : `report ${seq} after report ${heard.seq}`;
}

/**
 * A word about a life that is not the one on record: it came late, or somebody mistook the pid. Whoever starts begins a
 * life.
 */
function whyOther({ running }: MeroProcess, { type, data: { pid, born } }: ProcessReport): string | undefined {
  if (type === 'process.starting' || !running || pid === undefined) return undefined;
  if (running.pid !== pid) return `of pid ${pid}; on record is ${running.pid}`;
  const isReused = running.born !== undefined && born !== undefined && running.born !== born;
  return isReused ? `of pid ${pid} as it began at ${born}; on record is ${running.born}` : undefined;
}

/** What a row keeps of whose word it heard last. */
const heardBy = ({ id, node, incarnation, seq, receivedAt }: ProcessReport): Pick<MeroProcess, 'heard' | 'word'> =>
  incarnation !== undefined && seq !== undefined ? { heard: { node, incarnation, seq } } : { word: { at: receivedAt, report: id } };

/** The life that a report speaks of, as far as it does. */
const lifeOf = ({ running }: Partial<MeroProcess>, { data: { pid, born } }: ProcessReport): Pick<MeroProcess, 'running'> => {
  const life = pid === undefined ? running : { ...(running?.pid === pid && running), pid, ...(born !== undefined && { born }) };
  return life ? { running: life } : {};
};

/** The states that a process is in while nothing is said of why it cannot move. */
function to(
  process: MeroProcess,
  moves: readonly ProcessMove[],
  move: Moved,
  around: Around,
  now: EpochMs,
): Decision<MeroProcess> | Refused {
  return moved(process, moves, move, around, now) ?? refused(`it is ${process.state.is}: it cannot become ${moves.at(-1)}`);
}

function begins(process: MeroProcess, report: ProcessReport, around: Around, now: EpochMs): Decision<MeroProcess> | Refused {
  const { running: _before, ...anew } = process;
  const also = { ...heardBy(report), ...lifeOf({}, report) };
  return to(anew, ['starting'], { because: 'it is being started', also }, around, now);
}

/**
 * Of an attempt to start one that failed the word that it is ready may overtake the one that it begins, which is too
 * old to count then.
 */
const ready = (process: MeroProcess, { seq }: ProcessReport, around: Around): readonly ProcessMove[] =>
  seq !== undefined && isAttempt(process, around) ? ['starting', 'online'] : ['online'];

/**
 * One that is to stop was told to: it is quiescing from the moment that it was to, and strictly goes on from there. Any
 * other stops by itself.
 */
const stopping = ({ state }: MeroProcess, { goal }: Around): readonly ProcessMove[] => {
  if (goal === 'stop' && state.is === 'online') return ['quiescing', 'stopping'];
  return goal === 'stop' && state.is === 'quiescing' ? ['stopping'] : ['stopping by itself'];
};
const stopsBy = ({ goal }: Around): string => (goal === 'stop' ? 'it stops, as it is to' : 'it stops by itself');

type Ended = Extract<ProcessReport, { type: 'process.stopped' }>;

/**
 * Its end. An unmanaged one may end as it likes; a managed one that was to stop has stopped, whether or not its
 * stopping was heard; any other has failed.
 */
function ends(process: MeroProcess, report: Ended, around: Around, now: EpochMs): Decision<MeroProcess> | Refused {
  const { exit } = report.data;
  const also = heardBy(report);
  const reason = exit === undefined ? 'exited' : `exited with status ${exit}`;
  const moves = endOf(process, around);
  return to(process, moves, { because: moves.at(-1) === 'exited managed' ? reason : 'it has ended', reason, also }, around, now);
}

/** The moves by which a process ends that nobody sees any more. */
export function endOf(process: MeroProcess, { goal }: Around): readonly ProcessMove[] {
  const { is } = process.state;
  if (is === 'stopping') return ['stopped'];
  if (!isManaged(process)) return ['exited unmanaged'];
  if (goal !== 'stop') return ['exited managed'];
  if (is === 'online') return ['quiescing', 'stopping', 'stopped'];
  return is === 'quiescing' ? ['stopping', 'stopped'] : ['stopping by itself', 'stopped'];
}

type Failed = Extract<ProcessReport, { type: 'process.failed' }>;

/**
 * A queue may hand out the failure of an attempt before its start, whose report is then too old to count: the process
 * would wait for ever.
 */
const failing = ({ state }: MeroProcess, { goal }: Around): readonly ProcessMove[] =>
  state.is === 'offline' && goal !== 'stop' ? ['failed to start'] : ['failed'];

/**
 * Whether a failure is that of an attempt: one that had failed already was to be started again, or is to run and its
 * agent has tried it.
 */
const isAttempt = ({ state, retryAt, attempts = 0 }: MeroProcess, { goal, limits }: Around): boolean =>
  state.is === 'failed' && (retryAt !== undefined || (goal === 'run' && attempts < limits.attemptsMax));

/** It has failed. Of one that has already, and was to be started again, the attempt has failed. */
function fails(process: MeroProcess, report: Failed, around: Around, now: EpochMs): Decision<MeroProcess> | Refused {
  const { reason } = report.data;
  const also = heardBy(report);
  if (!isAttempt(process, around)) return to(process, failing(process, around), { because: reason, reason, also }, around, now);
  const { retryAt: _watched, ...rest } = process;
  const next: MeroProcess = { ...rest, state: { is: 'failed', reason }, ...retried(process, around, now), ...also };
  return write<MeroProcess, never>(next, `the attempt has failed: ${reason}`, { wakeAt: dueAt(next, around.limits) });
}
