import { type EpochMs, minuteMs, plusMs } from '../../lib/core/time.ts';
import type { Step } from '../../lib/machine/reactor.ts';
import { adviceOn } from './advice.ts';
import type { Action } from './decide.ts';
import { logged, onLine, resting, slower } from './fold.ts';
import type { AgentState, Call } from './state.ts';

/**
 * Muster refused a call: the problem's type and detail. `generation` is the one that Muster gave up, where it names it.
 */
export type Refused = {
  readonly type: 'refused';
  readonly call: Call;
  readonly problem: string;
  readonly status: number;
  readonly detail: string;
  readonly retryAfterMs: number;
  readonly generation?: number;
  readonly random: number;
};

/** How soon a host whose token was denied asks again. */
const deniedAgainMs = minuteMs;

/**
 * Folds a refusal into the state. Only the line to Muster acts on a refusal: for the work beside it, the answer to the
 * next heartbeat shows the cause.
 */
export function refused(state: AgentState, refusal: Refused, now: EpochMs): Step<AgentState, Action> {
  const { call } = refusal;
  if (call === 'read-desired' || call === 'read-systems') return { next: resting(state, call), actions: [] };
  if (call === 'report') return reportRefused(state, refusal);
  switch (refusal.problem) {
    case 'send-node-up':
      return logged({ ...onLine(state, now), phase: 'starting' }, `${refusal.detail}; reporting this boot`);
    case 'must-rejoin':
      return rejoin(state, refusal, now);
    case 'quarantined':
    case 'key-cloned':
      return quarantined(state, refusal, now);
    case 'removed':
      return call === 'up' && !state.sentAway ? askToReturn(state, refusal, now) : over(state, refusal);
    case 'join-denied':
      return state.sentAway ? over(state, refusal) : denied(state, refusal, now);
    case 'unknown-node': {
      const { node: _forgotten, sentAway: _unknown, ...rest } = slower(state, refusal, now);
      return logged({ ...rest, phase: 'joining' }, `${refusal.detail}: joining again`);
    }
    default: {
      const next = slower(state, refusal, now);
      return state.line.failures === 0
        ? logged(next, `${call} was refused (${refusal.problem}): ${refusal.detail}${adviceOn(refusal.problem)}; trying again`)
        : { next, actions: [] };
    }
  }
}

/**
 * A removed node that is started again may have a new token since: it tries once to join by that token. Without a valid
 * one it ends.
 */
const askToReturn = (state: AgentState, { detail }: Refused, now: EpochMs): Step<AgentState, Action> =>
  logged({ ...onLine(state, now), phase: 'joining', sentAway: true }, `${detail}; asking for admission again`);

/** Muster has removed this node: the agent ends. */
const over = (state: AgentState, { detail }: Refused): Step<AgentState, Action> => ({
  next: { ...state, phase: 'ended', line: { ...state.line, calling: false } },
  actions: [{ do: 'say', line: detail }, { do: 'end' }],
});

/**
 * The token does not admit this host, and may never do so. The agent asks again slowly, because an operator may replace
 * the token.
 */
function denied(state: AgentState, { detail, retryAfterMs }: Refused, now: EpochMs): Step<AgentState, Action> {
  const next: AgentState = { ...onLine(state, plusMs(now, Math.max(deniedAgainMs, retryAfterMs))), notified: 'denied' };
  if (state.notified === 'denied') return { next, actions: [] };
  return logged(
    next,
    `${detail}; give this host a new token (muster node token create), or none and admit it by hand. Asking again every minute`,
  );
}

/** Drops reports that Muster cannot read, because it never will, and logs that. */
function reportRefused(state: AgentState, { status, detail }: Refused): Step<AgentState, Action> {
  if (status !== 400 && status !== 422) return { next: resting(state, 'report'), actions: [] };
  return logged(
    { ...state, reports: { ...state.reports, out: [], task: 'idle' } },
    `Muster cannot read a report, and the agent drops it: ${detail}`,
  );
}

/** The node was given up: it forgets its orders, list and reports, and reports which generation it has flushed. */
function rejoin(state: AgentState, refusal: Refused, now: EpochMs): Step<AgentState, Action> {
  const flushed = refusal.generation ?? state.generation;
  const { version: _old, ...list } = state.list;
  const empty: AgentState = {
    ...(state.flushed === flushed ? slower(state, refusal, now) : onLine(state, now)),
    phase: 'starting',
    flushed,
    // Work beside the line stays under way: its outcome still comes in.
    desired: { rev: 0, notified: 0, release: [], released: 0, task: state.desired.task },
    releasing: { ...state.releasing, failures: 0 },
    list: { ...list, mapVersion: 0, notified: 0, stale: false },
    reports: { ...state.reports, out: [] },
  };
  return state.flushed === flushed
    ? { next: empty, actions: [] }
    : { next: empty, actions: [{ do: 'say', line: `${refusal.detail}: joining as new` }, { do: 'flush' }] };
}

/**
 * Further heartbeats keep the lease, at half the pace: Muster takes nothing else from this node until an operator acts.
 */
function quarantined(state: AgentState, refusal: Refused, now: EpochMs): Step<AgentState, Action> {
  const next =
    refusal.call === 'heartbeat'
      ? { ...onLine(state, plusMs(now, Math.max(2 * state.intervalMs, refusal.retryAfterMs))), quarantined: true }
      : { ...slower(state, refusal, now), quarantined: true };
  return state.quarantined ? { next, actions: [] } : logged(next, refusal.detail);
}
