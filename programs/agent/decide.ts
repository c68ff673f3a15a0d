import type { EpochMs } from '../../lib/core/time.ts';
import type { Step } from '../../lib/machine/reactor.ts';
import { hear, type Input } from './hear.ts';
import type { ReleaseOrder } from './ledger.ts';
import { type AgentState, digestEvery, type NodeReport, ordersOf } from './state.ts';

/** What an agent does: call Muster, carry out its orders, log a line, end. */
export type Action =
  | { readonly do: 'join' }
  | { readonly do: 'up'; readonly flushed?: number }
  | { readonly do: 'heartbeat'; readonly incarnation: number; readonly seq: number; readonly digest: boolean }
  | { readonly do: 'read-desired'; readonly rev: number }
  | { readonly do: 'read-systems'; readonly since?: number; readonly mapVersion: number }
  | { readonly do: 'report'; readonly incarnation: number; readonly reports: readonly NodeReport[] }
  | { readonly do: 'release'; readonly orders: readonly ReleaseOrder[]; readonly mapVersion: number }
  /** `everyone`: all client systems that are seen, not only those that are not on our list. */
  | { readonly do: 'make-knock'; readonly everyone: boolean }
  | { readonly do: 'flush' }
  | { readonly do: 'say'; readonly line: string }
  | { readonly do: 'end' };

/**
 * Decides what a node agent does next. It first folds the input into the state, then starts every step that is due. The
 * line to Muster (join, node-up, heartbeat) never waits for the work beside it, because a lease depends on it.
 */
export function decide(state: AgentState, input: Input, now: EpochMs): Step<AgentState, Action> {
  if (state.phase === 'ended') return { next: state, actions: [] };
  const heard = hear(state, input, now);
  const actions = [...heard.actions];
  let after = heard.next;
  for (const due of [line, readDesired, release, readSystems, report]) {
    const step = due(after, now);
    after = step.next;
    actions.push(...step.actions);
  }
  const { wakeAt: _before, ...next } = after;
  return { next: next.phase === 'ended' || next.line.calling ? next : { ...next, wakeAt: next.line.at }, actions };
}

function line(state: AgentState, now: EpochMs): Step<AgentState, Action> {
  if (state.line.calling || now < state.line.at || state.phase === 'ended') return stay(state);
  const next = { ...state, line: { ...state.line, calling: true } };
  switch (state.phase) {
    case 'joining':
      return { next, actions: [{ do: 'join' }] };
    case 'starting':
      return { next, actions: [{ do: 'up', ...(state.flushed !== undefined && { flushed: state.flushed }) }] };
    case 'member': {
      const seq = state.seq + 1;
      const digest = seq % digestEvery === 0 && state.list.version !== undefined;
      return { next: { ...next, seq }, actions: [{ do: 'heartbeat', incarnation: state.incarnation, seq, digest }] };
    }
  }
}

function readDesired(state: AgentState): Step<AgentState, Action> {
  const { desired } = state;
  if (state.phase !== 'member' || desired.rev === desired.notified || desired.task !== 'idle') return stay(state);
  return { next: { ...state, desired: { ...desired, task: 'running' } }, actions: [{ do: 'read-desired', rev: desired.rev }] };
}

function release(state: AgentState): Step<AgentState, Action> {
  const orders = ordersOf(state);
  if (state.phase !== 'member' || orders.length === 0 || state.releasing.task !== 'idle') return stay(state);
  const mapVersion = Math.max(...orders.map((order) => order.mapVersion));
  return { next: { ...state, releasing: { ...state.releasing, task: 'running' } }, actions: [{ do: 'release', orders, mapVersion }] };
}

/** Reads the list after release orders are done: they need the list from before the slots moved. */
function readSystems(state: AgentState): Step<AgentState, Action> {
  const { list, desired } = state;
  const needed = list.version === undefined || list.stale || list.mapVersion !== list.notified;
  const ordered = desired.rev !== desired.notified || ordersOf(state).length > 0;
  if (state.phase !== 'member' || !needed || ordered || list.task !== 'idle' || list.notified === 0) return stay(state);
  const asked = { do: 'read-systems', mapVersion: list.notified, ...(list.version !== undefined && { since: list.version }) } as const;
  return { next: { ...state, list: { ...list, stale: false, task: 'running' } }, actions: [asked] };
}

function report(state: AgentState): Step<AgentState, Action> {
  const { reports } = state;
  if (state.phase !== 'member' || reports.out.length === 0 || reports.task !== 'idle') return stay(state);
  return {
    next: { ...state, reports: { ...reports, task: 'running' } },
    actions: [{ do: 'report', incarnation: state.incarnation, reports: reports.out }],
  };
}

const stay = (state: AgentState): Step<AgentState, Action> => ({ next: state, actions: [] });
