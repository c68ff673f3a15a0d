import type { Published } from '../../../events/catalogue.ts';
import { type Decision, write } from '../../core/decision.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { isManaged, type MeroProcess, type ProcessMove, type ProcessState, type ProcessStateName, processMoves } from './process.ts';
import type { Goal } from './rows/goal.ts';
import { type Limits, steadyMs } from './rows/limits.ts';

/** What a decision about a process rests on besides its row: what is wanted of it, and what its cluster allows. */
export type Around = { readonly goal: Goal | undefined; readonly limits: Limits };

/** Whether a process in that state can make that move. */
export const canMove = (from: ProcessStateName, move: ProcessMove): boolean =>
  (processMoves[move].from as readonly ProcessStateName[]).includes(from);

/** The state that moves lead to, one after the other; undefined as soon as one of them is none of the table's. */
export function stateAfter(state: ProcessState, moves: readonly ProcessMove[], reason: string): ProcessState | undefined {
  let is: ProcessStateName = state.is;
  for (const move of moves) {
    if (!canMove(is, move)) return undefined;
    is = processMoves[move].to;
  }
  return is === 'failed' ? { is, reason } : { is };
}

/**
 * What comes with a move: why, in words for people; the reason of a failure; and what else the row says from then on.
 */
export type Moved = {
  readonly because: string;
  readonly reason?: string;
  readonly also?: Partial<MeroProcess>;
  /** Nobody tries to start it again by itself: there is nobody who could. */
  readonly forGood?: boolean;
};

/**
 * A process in the state that it came to, with what goes along with that, or undefined where the table has no such
 * move: a life that is over leaves nothing behind, one that begins has its services whole, and one that failed is
 * started again by rule if it is to run.
 */
export function moved(
  process: MeroProcess,
  moves: readonly ProcessMove[],
  { because, reason = because, also, forGood = false }: Moved,
  around: Around,
  now: EpochMs,
): Decision<MeroProcess> | undefined {
  const state = stateAfter(process.state, moves, reason);
  if (!state) return undefined;
  const since = state.is === process.state.is ? process.since : now;
  const base: MeroProcess = { ...lasted(process, around.limits, now), state, since };
  const next = { ...along(base, { ...around, forGood }, now), ...also };
  return write(next, because, { events: eventsOf(process, next), wakeAt: dueAt(next, around.limits) });
}

/**
 * The process as whatever happens now finds it: of one that has been online for a while nobody remembers how often it
 * was tried.
 */
function lasted(process: MeroProcess, limits: Limits, now: EpochMs): MeroProcess {
  const { attempts: _over, ...rest } = process;
  return process.state.is === 'online' && plusMs(process.since, steadyMs(limits)) <= now ? rest : process;
}

function along(process: MeroProcess, { goal, limits, forGood }: Around & { forGood: boolean }, now: EpochMs): MeroProcess {
  const { running, attempts = 0, retryAt: _retry, ...rest } = process;
  switch (process.state.is) {
    case 'starting':
      // The attempts go on until one of them has come to something.
      return { ...withoutRetry(process), services: process.services.map(({ failed: _failed, ...service }) => service) };
    case 'online':
      return { ...rest, ...(attempts > 0 && { attempts }), ...(running && { running }) };
    case 'failed':
      return { ...rest, ...(forGood || !isManaged(process) ? {} : retried(process, { goal, limits }, now)) };
    case 'offline':
    case 'unknown':
      return rest;
    case 'quiescing':
    case 'stopping':
      return withoutRetry(process);
  }
}

const withoutRetry = ({ retryAt: _retry, ...process }: MeroProcess): MeroProcess => process;

/**
 * When the rule starts a failed process the next time; only how often it was tried when it does so no more, or not
 * while it is not to run.
 */
export function retried({ attempts = 0 }: MeroProcess, { goal, limits }: Around, now: EpochMs): Pick<MeroProcess, 'attempts' | 'retryAt'> {
  if (goal !== 'run') return { attempts: 0 };
  return { attempts, ...(attempts < limits.attemptsMax && { retryAt: plusMs(now, limits.retryMs) }) };
}

/** When time may change a process: it starts or stops for too long, or is to be started again. */
export function dueAt({ state, since, retryAt }: MeroProcess, { startMs, stopMs }: Limits): EpochMs | undefined {
  if (state.is === 'starting') return plusMs(since, startMs);
  return state.is === 'quiescing' || state.is === 'stopping' ? plusMs(since, stopMs) : retryAt;
}

type ProcessEvent = Extract<
  Published,
  { type: 'process.starting' | 'process.online' | 'process.stopping' | 'process.stopped' | 'process.failed' }
>;

/** What is published of a process that came into another state, or begins another life in the same. */
function eventsOf(before: MeroProcess, after: MeroProcess): ProcessEvent[] {
  const { zone, fid: process, host, state } = after;
  const data = { zone, process, host };
  if (before.state.is === state.is && state.is !== 'online') return [];
  switch (state.is) {
    case 'starting':
      return [{ type: 'process.starting', version: 1, data }];
    case 'online':
      return before.state.is === 'online' && isSameLife(before, after) ? [] : [{ type: 'process.online', version: 1, data }];
    case 'stopping':
      return [{ type: 'process.stopping', version: 1, data }];
    case 'offline':
      // Of one that nobody knew anything about it is not news that it does not run.
      return before.state.is === 'unknown' ? [] : [{ type: 'process.stopped', version: 1, data }];
    case 'failed':
      return [failedEvent(after, state.reason)];
    case 'unknown':
    case 'quiescing':
      return [];
  }
}

/** That a process has failed, how often it was tried since it last ran for a while, and whether it will be again. */
export const failedEvent = ({ zone, fid, host, attempts = 0, retryAt }: MeroProcess, reason: string): ProcessEvent => ({
  type: 'process.failed',
  version: 1,
  data: { zone, process: fid, host, reason, attempts, retry: retryAt !== undefined },
});

const isSameLife = ({ running: a }: MeroProcess, { running: b }: MeroProcess): boolean => a?.pid === b?.pid && a?.born === b?.born;
