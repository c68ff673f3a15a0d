import type { TableEntry } from '../../../events/reported/process.ts';
import { type Decision, nothing, write } from '../../core/decision.ts';
import type { NodeId } from '../../core/ids.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { isOvertaken } from '../../nodes/rows/table.ts';
import { dueAt, isLostWithNode, moved, type Surroundings } from './move.ts';
import { endOf } from './on-report.ts';
import { isHalon, isManaged, type MeroProcess, type ProcessMove } from './process.ts';

/**
 * The sender of a table, and in `back` how the table came. `no`: the agent was asked for it. `same kernel`: the agent
 * has started again. `anew`: its kernel has started again, too, or the agent lost all that it had.
 */
export type TableOrigin = {
  readonly node: NodeId;
  /** Which boot of its agent, counted from 1. */
  readonly incarnation: number;
  /** The number of the table among the agent's reports; the table includes those before it. */
  readonly seq: number;
  readonly back: 'no' | 'same kernel' | 'anew';
};

/**
 * Decides what the table of a host says about one process: `entry` is the running process, or undefined if none runs. A
 * process that is as it is on record is left alone. One that is gone failed with its node, or has ended unreported. A
 * running process that differs from its record gets the state in the table.
 */
export function resync(
  process: MeroProcess,
  entry: TableEntry | undefined,
  origin: TableOrigin,
  surroundings: Surroundings,
  now: EpochMs,
): Decision<MeroProcess> {
  if (isHalon(process)) return nothing("it is Halon's own: its state follows from its node");
  if (isOvertaken(process.heard, origin)) return nothing('a report since then is on record');
  if (entry) return onListed(process, entry, origin, surroundings, now);
  return origin.back === 'no' && !isLostWithNode(process)
    ? onAbsent(process, origin, surroundings, now)
    : onBack(process, origin, surroundings, now);
}

const heardBy = ({ node, incarnation, seq }: TableOrigin): Pick<MeroProcess, 'heard'> => ({ heard: { node, incarnation, seq } });

function onListed(
  process: MeroProcess,
  entry: TableEntry,
  origin: TableOrigin,
  surroundings: Surroundings,
  now: EpochMs,
): Decision<MeroProcess> {
  const { pid, born, state } = entry;
  // After a reboot another process may have the same pid, and even the same moment of its start.
  const isSame =
    origin.back !== 'anew' && process.running?.pid === pid && (process.running.born ?? born) === (born ?? process.running.born);
  if (isSame && process.state.is === state) return nothing(`it is ${state}, as it is on record`);
  const move = `resync ${state}` as const;
  const because = `its host lists it as ${state}, with pid ${pid}`;
  const also = { ...heardBy(origin), running: { pid, ...(born !== undefined && { born }) } };
  return moved(process, [move], { because, also }, surroundings, now)!;
}

/**
 * Its agent has not been away, and it does not run: its end was not reported. A starting process whose pid was never
 * reported may be on its way.
 */
function onAbsent(process: MeroProcess, origin: TableOrigin, surroundings: Surroundings, now: EpochMs): Decision<MeroProcess> {
  const { is } = process.state;
  if (is === 'offline' || is === 'failed') return nothing(`it is ${is}, as it is on record`);
  if (is === 'starting' && !process.running) return nothing('it is being started');
  const moves: readonly ProcessMove[] = is === 'unknown' ? ['resync absent'] : endOf(process, surroundings);
  return moved(process, moves, { because: 'its host does not list it', reason: 'exited', also: heardBy(origin) }, surroundings, now)!;
}

/**
 * Whether a process that has ended starts anew now that its agent is back. After a reboot nothing could start it
 * before. The exception is a process without any report on a host whose agent has never been here before: it was never
 * started, and that agent begins with it by itself. Under the same kernel the agent may have tried an offline process,
 * and died before it could report that. An agent starts nothing twice under the same number, whatever became of its
 * reports: they may have been refused, or lost while its node was removed. A process that failed with its node may have
 * ended while that was away, however its table came.
 */
const isTriedAgain = (process: MeroProcess, { back, incarnation }: TableOrigin): boolean =>
  back === 'anew' ? process.heard !== undefined || incarnation > 1 : process.state.is === 'offline' || isLostWithNode(process);

/**
 * Its agent has been away, and it does not run. A process that must run is started again at once: nothing could start
 * it before.
 */
function onBack(process: MeroProcess, origin: TableOrigin, surroundings: Surroundings, now: EpochMs): Decision<MeroProcess> {
  const { is } = process.state;
  const isOver = is === 'offline' || is === 'failed';
  const isStarted = surroundings.goal === 'run' && isManaged(process) && (!isOver || isTriedAgain(process, origin));
  const again = { attempts: 0, start: process.start + 1, retryAt: plusMs(now, surroundings.limits.startMs) };
  if (is === 'unknown')
    return moved(process, ['resync absent'], { because: 'its host does not list it', also: heardBy(origin) }, surroundings, now)!;
  if (!isOver) {
    // A process that must not run now starts anew once it must: its agent starts nothing twice under the same number.
    const anew = isManaged(process) && { start: again.start };
    const also = { ...heardBy(origin), ...(isStarted ? again : anew) };
    return moved(process, ['node failure'], { because: 'node failure', also }, surroundings, now)!;
  }
  if (!isStarted && !(isManaged(process) && isLostWithNode(process))) return nothing(`it is ${is}, as it is on record`);
  const { retryAt: _watched, ...rest } = process;
  const next: MeroProcess = {
    ...rest,
    ...heardBy(origin),
    start: again.start,
    attempts: 0,
    ...(isStarted && is === 'failed' && { retryAt: again.retryAt }),
  };
  const because = isStarted ? 'its host is back, and it must run' : 'its host is back: it starts anew once it must run';
  return write<MeroProcess, never>(next, because, { wakeAt: dueAt(next, surroundings.limits) });
}
