import { backoffMaxMs, backoffMs } from '../../lib/api/backoff.ts';
import { type EpochMs, plusMs } from '../../lib/core/time.ts';
import type { Step } from '../../lib/machine/reactor.ts';
import type { Action } from './decide.ts';
import type { AgentState, Call, Task } from './state.ts';

/** The line's call is over, and the next one is due then. */
export const onLine = (state: AgentState, at: EpochMs): AgentState => ({ ...state, line: { at, calling: false, failures: 0 } });

/**
 * The same call again, later each time. A node waits at most two of its intervals, on the mean one: after an outage of
 * Muster's own every node must be heard within one lease, and all together are not louder than their heartbeats.
 */
export function slower(state: AgentState, { random, retryAfterMs }: { random: number; retryAfterMs: number }, now: EpochMs): AgentState {
  const failures = state.line.failures + 1;
  const maxMs = state.phase === 'joining' ? backoffMaxMs : 2 * state.intervalMs;
  return { ...state, line: { at: plusMs(now, backoffMs(failures, random, { retryAfterMs, maxMs })), calling: false, failures } };
}

/** The same state, and a line in the log. */
export const said = (next: AgentState, line: string): Step<AgentState, Action> => ({ next, actions: [{ do: 'say', line }] });

/** The work beside the line, by the call that does it. */
export const resting = (state: AgentState, call: Exclude<Call, 'join' | 'up' | 'heartbeat'>): AgentState => {
  const task: Task = 'resting';
  if (call === 'read-desired') return { ...state, desired: { ...state.desired, task } };
  if (call === 'read-systems') return { ...state, list: { ...state.list, stale: true, task } };
  return { ...state, words: { ...state.words, task } };
};
