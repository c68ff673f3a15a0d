import type { TableEntry } from '../../../events/reported/process.ts';
import { type Decision, nothing, write } from '../../core/decision.ts';
import type { NodeId } from '../../core/ids.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { type Around, dueAt, moved } from './move.ts';
import { endOf } from './on-report.ts';
import { isHalon, isManaged, type MeroProcess, type ProcessMove } from './process.ts';

/**
 * Whose table it is, and how it came: the agent was asked for it, it has started again, or with it its kernel or all
 * that it had.
 */
export type TableSaid = {
  readonly node: NodeId;
  /** Which boot of its agent, counted from 1. */
  readonly incarnation: number;
  /** The number of the table among the agent's words; those before it are in it. */
  readonly seq: number;
  readonly back: 'no' | 'same kernel' | 'anew';
};

/**
 * What the table of a host says about one process: `entry` is what runs, or undefined where nothing does. One that goes
 * on as it is on record is left alone; one that is gone failed with its node, or has ended unheard; what runs otherwise
 * than it is on record is as the table says.
 */
export function resync(
  process: MeroProcess,
  entry: TableEntry | undefined,
  said: TableSaid,
  around: Around,
  now: EpochMs,
): Decision<MeroProcess> {
  if (isHalon(process)) return nothing("it is Halon's own: its node says how it is");
  const { heard } = process;
  if (
    heard &&
    heard.node === said.node &&
    (heard.incarnation > said.incarnation || (heard.incarnation === said.incarnation && heard.seq >= said.seq))
  )
    return nothing('it was heard of since');
  if (entry) return onShown(process, entry, said, around, now);
  return said.back === 'no' ? onAbsent(process, said, around, now) : onBack(process, said, around, now);
}

const heardBy = ({ node, incarnation, seq }: TableSaid): Pick<MeroProcess, 'heard'> => ({ heard: { node, incarnation, seq } });

function onShown(process: MeroProcess, entry: TableEntry, said: TableSaid, around: Around, now: EpochMs): Decision<MeroProcess> {
  const { pid, born, state } = entry;
  // After a reboot a pid and even the moment it began at may be another's.
  const isSame = said.back !== 'anew' && process.running?.pid === pid && (process.running.born ?? born) === (born ?? process.running.born);
  if (isSame && process.state.is === state) return nothing(`it is ${state}, as it is on record`);
  const move = `resync ${state}` as const;
  const because = `its host shows it ${state}, with pid ${pid}`;
  const also = { ...heardBy(said), running: { pid, ...(born !== undefined && { born }) } };
  return moved(process, [move], { because, also }, around, now)!;
}

/**
 * Its agent has not been away, and it does not run: its end was not heard. One whose pid nobody has said yet may be on
 * its way.
 */
function onAbsent(process: MeroProcess, said: TableSaid, around: Around, now: EpochMs): Decision<MeroProcess> {
  const { is } = process.state;
  if (is === 'offline' || is === 'failed') return nothing(`it is ${is}, as it is on record`);
  if (is === 'starting' && !process.running) return nothing('it is being started');
  const moves: readonly ProcessMove[] = is === 'unknown' ? ['resync absent'] : endOf(process, around);
  return moved(process, moves, { because: 'its host does not show it', reason: 'exited', also: heardBy(said) }, around, now)!;
}

/**
 * Whether one that is over begins anew now that its agent is back. After a reboot nobody could start it before; only
 * one of which nobody has ever spoken, on a host whose agent has never been here before, was never started: that agent
 * begins with it by itself. Under the same kernel the agent may have tried one that is offline, and died with what it
 * had to say of it. An agent starts nothing twice by the same number, whatever became of its words: they may have been
 * refused, or lost while its node was removed.
 */
const isTriedAgain = ({ state, heard }: MeroProcess, { back, incarnation }: TableSaid): boolean =>
  back === 'anew' ? heard !== undefined || incarnation > 1 : state.is === 'offline';

/** Its agent has been away, and it does not run. What is to run is started again at once: nobody could before. */
function onBack(process: MeroProcess, said: TableSaid, around: Around, now: EpochMs): Decision<MeroProcess> {
  const { is } = process.state;
  const isOver = is === 'offline' || is === 'failed';
  const isStarted = around.goal === 'run' && isManaged(process) && (!isOver || isTriedAgain(process, said));
  const again = { attempts: 0, start: process.start + 1, retryAt: plusMs(now, around.limits.startMs) };
  if (is === 'unknown')
    return moved(process, ['resync absent'], { because: 'its host does not show it', also: heardBy(said) }, around, now)!;
  if (!isOver) {
    // One that is not to run now begins anew once it is: its agent starts nothing twice by the same number.
    const anew = isManaged(process) && { start: again.start };
    const also = { ...heardBy(said), ...(isStarted ? again : anew) };
    return moved(process, ['node failure'], { because: 'node failure', also }, around, now)!;
  }
  if (!isStarted) return nothing(`it is ${is}, as it is on record`);
  const { retryAt: _watched, ...rest } = process;
  const next: MeroProcess = {
    ...rest,
    ...heardBy(said),
    start: again.start,
    attempts: 0,
    ...(is === 'failed' && { retryAt: again.retryAt }),
  };
  return write<MeroProcess, never>(next, 'its host is back, and it is to run', { wakeAt: dueAt(next, around.limits) });
}
