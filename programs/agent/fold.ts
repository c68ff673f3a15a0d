import { backoffMaxMs, backoffMs } from '../../lib/api/backoff.ts';
import { type EpochMs, plusMs } from '../../lib/core/time.ts';
import type { Step } from '../../lib/machine/reactor.ts';
import type { Action } from './decide.ts';
import type { AgentState, Call, Task } from './state.ts';

/** The state after a call of the line, with the next call due `at`. */
export const onLine = (state: AgentState, at: EpochMs): AgentState => ({ ...state, line: { at, calling: false, failures: 0 } });

/**
 * Repeats a call with growing waits. A node waits at most two of its intervals, and one on average. After an outage of
 * Muster every node must then be heard within one lease, and all nodes together make no more calls than by heartbeats.
 */
export function slower(state: AgentState, { random, retryAfterMs }: { random: number; retryAfterMs: number }, now: EpochMs): AgentState {
  const failures = state.line.failures + 1;
  const maxMs = state.phase === 'joining' ? backoffMaxMs : 2 * state.intervalMs;
  return { ...state, line: { at: plusMs(now, backoffMs(failures, random, { retryAfterMs, maxMs })), calling: false, failures } };
}

/** This state, and an action that logs a line. */
export const logged = (next: AgentState, line: string): Step<AgentState, Action> => ({ next, actions: [{ do: 'say', line }] });

/** The state in which the work of this call beside the line rests until the next heartbeat. */
export const resting = (state: AgentState, call: Exclude<Call, 'join' | 'up' | 'heartbeat'>): AgentState => {
  const task: Task = 'resting';
  if (call === 'read-desired') return { ...state, desired: { ...state.desired, task } };
  if (call === 'read-systems') return { ...state, list: { ...state.list, stale: true, task } };
  return { ...state, reports: { ...state.reports, task } };
};
