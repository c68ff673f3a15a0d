import type { Published } from '../../../events/catalogue.ts';
import { type Decision, write } from '../../core/decision.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { isManaged, type MeroProcess, type ProcessMove, type ProcessState, type ProcessStateName, processMoves } from './process.ts';
import type { Goal } from './rows/goal.ts';
import { type Limits, steadyMs } from './rows/limits.ts';

/** The inputs of a decision about a process besides its row: its goal, and the limits of its cluster. */
export type Surroundings = { readonly goal: Goal | undefined; readonly limits: Limits };

/** The reason of a failure that came of the loss of a node alone. */
export const lostWithNode = 'node lost';

/**
 * Whether a process failed because its node was given up, and nothing has tried to start it since: no restart is
 * scheduled for it until its host is heard of again.
 */
export const isLostWithNode = ({ state, attempts, retryAt }: MeroProcess): boolean =>
  state.is === 'failed' && state.reason === lostWithNode && attempts === undefined && retryAt === undefined;

/** Whether a process in that state can make that move. */
export const canMove = (from: ProcessStateName, move: ProcessMove): boolean =>
  (processMoves[move].from as readonly ProcessStateName[]).includes(from);

/** The state after these moves, one after the other; undefined if the table does not allow one of them. */
export function stateAfter(state: ProcessState, moves: readonly ProcessMove[], reason: string): ProcessState | undefined {
  let is: ProcessStateName = state.is;
  for (const move of moves) {
    if (!canMove(is, move)) return undefined;
    is = processMoves[move].to;
  }
  return is === 'failed' ? { is, reason } : { is };
}

/**
 * The details of a move: `because` for people, the reason of a failure (by default `because`), and other fields for the
 * row.
 */
export type Moved = {
  readonly because: string;
  readonly reason?: string;
  readonly also?: Partial<MeroProcess>;
  /** The restart rule does not start it again: nothing is there that could. */
  readonly forGood?: boolean;
};

/**
 * The process after these moves with all that follows from its new state, or undefined if the table does not allow
 * them. A life that ends leaves nothing behind, and a new life begins with all its services intact. If the process
 * failed and must run, the restart rule schedules its next start.
 */
export function moved(
  process: MeroProcess,
  moves: readonly ProcessMove[],
  { because, reason = because, also, forGood = false }: Moved,
  surroundings: Surroundings,
  now: EpochMs,
): Decision<MeroProcess> | undefined {
  const state = stateAfter(process.state, moves, reason);
  if (!state) return undefined;
  const since = state.is === process.state.is ? process.since : now;
  const base: MeroProcess = { ...lasted(process, surroundings.limits, now), state, since };
  const next = { ...along(base, { ...surroundings, forGood }, now), ...also };
  return write(next, because, { events: eventsOf(process, next), wakeAt: dueAt(next, surroundings.limits) });
}

/** The process as an input finds it: once it has been online for {@link steadyMs}, its count of attempts is dropped. */
function lasted(process: MeroProcess, limits: Limits, now: EpochMs): MeroProcess {
  const { attempts: _over, ...rest } = process;
  return process.state.is === 'online' && plusMs(process.since, steadyMs(limits)) <= now ? rest : process;
}

function along(process: MeroProcess, { goal, limits, forGood }: Surroundings & { forGood: boolean }, now: EpochMs): MeroProcess {
  const { running, attempts = 0, retryAt: _retry, ...rest } = process;
  switch (process.state.is) {
    case 'starting':
      // The count of attempts continues until one of them succeeds.
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
 * The count of attempts of a failed process, and when the restart rule starts it next. After the last attempt there is
 * no next start. A process that must not run has no next start either, and its count is 0.
 */
export function retried(
  { attempts = 0 }: MeroProcess,
  { goal, limits }: Surroundings,
  now: EpochMs,
): Pick<MeroProcess, 'attempts' | 'retryAt'> {
  if (goal !== 'run') return { attempts: 0 };
  return { attempts, ...(attempts < limits.attemptsMax && { retryAt: plusMs(now, limits.retryMs) }) };
}

/** When a tick may change the process: its start or stop times out, or its next attempt is due. */
export function dueAt({ state, since, retryAt }: MeroProcess, { startMs, stopMs }: Limits): EpochMs | undefined {
  if (state.is === 'starting') return plusMs(since, startMs);
  return state.is === 'quiescing' || state.is === 'stopping' ? plusMs(since, stopMs) : retryAt;
}

type ProcessEvent = Extract<
  Published,
  { type: 'process.starting' | 'process.online' | 'process.stopping' | 'process.stopped' | 'process.failed' }
>;

/** The events of a process that entered another state, or that begins another life in the same state. */
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
      // If its state was unknown, it is no news that the process does not run.
      return before.state.is === 'unknown' ? [] : [{ type: 'process.stopped', version: 1, data }];
    case 'failed':
      return [failedEvent(after, state.reason)];
    case 'unknown':
    case 'quiescing':
      return [];
  }
}

/**
 * The event that a process has failed: how often it was tried since it last ran for a while, and whether the rule tries
 * again.
 */
export const failedEvent = ({ zone, fid, host, attempts = 0, retryAt }: MeroProcess, reason: string): ProcessEvent => ({
  type: 'process.failed',
  version: 1,
  data: { zone, process: fid, host, reason, attempts, retry: retryAt !== undefined },
});

const isSameLife = ({ running: a }: MeroProcess, { running: b }: MeroProcess): boolean => a?.pid === b?.pid && a?.born === b?.born;
