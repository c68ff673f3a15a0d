import { waitMaxMs } from '../../lib/api/backoff.ts';
import type { NodeId, ZoneName } from '../../lib/core/ids.ts';
import { type EpochMs, plusMs, unreachable } from '../../lib/core/time.ts';
import type { Step } from '../../lib/machine/reactor.ts';
import type { Action } from './decide.ts';
import { logged, onLine, resting, slower } from './fold.ts';
import type { ReleaseOrder } from './ledger.ts';
import { type Refused, refused } from './refusals.ts';
import type { AgentState, Call, NodeReport, Task } from './state.ts';

/** What can happen to an agent. `random` is a number in [0, 1), drawn when it happened. */
export type Input =
  | { readonly type: 'tick' }
  | { readonly type: 'joined'; readonly node: NodeId; readonly zone: ZoneName; readonly nextMs: number }
  /** The host waits until an administrator, or a rule, admits the key of this fingerprint. */
  | { readonly type: 'pooled'; readonly fingerprint: string; readonly nextMs: number }
  /** `waits`: the node was given up, and comes back once an administrator readmits it. */
  | { readonly type: 'not-acknowledged'; readonly waits?: 'readmission' | undefined; readonly nextMs: number }
  | { readonly type: 'acknowledged'; readonly incarnation: number; readonly generation: number; readonly nextMs: number }
  | {
      readonly type: 'beaten';
      readonly nextMs: number;
      readonly desired: number;
      readonly listStale: boolean;
      readonly mapVersion: number;
      readonly generation?: number | undefined;
      readonly revoked?: number | undefined;
      readonly unlisted: boolean;
    }
  | { readonly type: 'desired'; readonly rev: number; readonly release: readonly ReleaseOrder[] }
  /** The desired state that the agent holds is current. */
  | { readonly type: 'desired-same' }
  | { readonly type: 'listed'; readonly version: number; readonly mapVersion: number; readonly systems: number }
  | { readonly type: 'reported'; readonly reports: readonly NodeReport[] }
  /** `knocking`: a release hook has made them knock; without one they have not been informed. */
  | { readonly type: 'released'; readonly mapVersion: number; readonly systems: number; readonly knocking: boolean }
  | { readonly type: 'release-failed'; readonly mapVersion: number; readonly why: string }
  | Refused
  | { readonly type: 'unreachable'; readonly call: Call; readonly why: string; readonly random: number };

/** Failures after which a release hook counts as broken: the client systems then find out at their own interval. */
export const releaseTriesMax = 3;

type Heard = Step<AgentState, Action>;

/**
 * Folds an input into the state; the actions that are due are decided afterwards. No answer makes the agent wait longer
 * than {@link waitMaxMs}.
 */
export const hear = (state: AgentState, input: Input, now: EpochMs): Heard =>
  heard(state, 'nextMs' in input ? { ...input, nextMs: Math.min(input.nextMs, waitMaxMs) } : input, now);

function heard(state: AgentState, input: Input, now: EpochMs): Heard {
  switch (input.type) {
    case 'tick':
      return { next: state, actions: [] };
    case 'joined': {
      const { notified: _waited, ...rest } = onLine(state, plusMs(now, input.nextMs));
      const next = { ...rest, phase: 'starting', node: input.node, zone: input.zone } as const;
      return logged(next, `joined as ${input.node} in zone ${input.zone}`);
    }
    case 'pooled':
      return pooled(state, input, now);
    case 'not-acknowledged':
      return notAcknowledged(state, input, now);
    case 'acknowledged':
      return acknowledged(state, input, now);
    case 'beaten':
      return heartbeatAnswered(state, input, now);
    case 'desired':
      return {
        next: { ...state, desired: { ...state.desired, rev: input.rev, notified: input.rev, release: input.release, task: 'idle' } },
        actions: [],
      };
    case 'desired-same':
      return { next: { ...state, desired: { ...state.desired, notified: state.desired.rev, task: 'idle' } }, actions: [] };
    case 'listed':
      return listed(state, input);
    case 'reported':
      return { next: withoutReports(state, input.reports), actions: [] };
    case 'released':
      return logged(released(state, input.mapVersion), releasedLine(input));
    case 'release-failed':
      return releaseFailed(state, input);
    case 'refused':
      return refused(state, input, now);
    case 'unreachable':
      return notReached(state, input, now);
    default:
      return unreachable(input);
  }
}

/** Logs once that the host waits: an administrator may take days, and the log is for news. */
function pooled(state: AgentState, { fingerprint, nextMs }: Extract<Input, { type: 'pooled' }>, now: EpochMs): Heard {
  const { sentAway: _forgotten, ...rest } = onLine(state, plusMs(now, nextMs));
  const next: AgentState = { ...rest, notified: 'pooled' };
  if (state.notified === 'pooled') return { next, actions: [] };
  const short = fingerprint.replaceAll(':', '').slice(0, 16);
  return logged(
    next,
    `this host waits for admission. Its fingerprint is ${fingerprint}. An administrator compares it, and admits the host with: muster node admit ${short}`,
  );
}

/** Logs once that the node waits for readmission, as for a host in the pool. */
function notAcknowledged(state: AgentState, { waits, nextMs }: Extract<Input, { type: 'not-acknowledged' }>, now: EpochMs): Heard {
  const asked = onLine(state, plusMs(now, nextMs));
  if (waits === undefined) return { next: asked, actions: [] };
  const next: AgentState = { ...asked, notified: 'waits' };
  if (state.notified === 'waits') return { next, actions: [] };
  return logged(
    next,
    'Muster gave this node up, and it waits for readmission. An administrator readmits it by its name: muster node admit',
  );
}

/**
 * This boot is a member. The node has no content to copy, so it reports ready at once. Muster ignores that report from
 * a node that was up.
 */
function acknowledged(
  state: AgentState,
  { incarnation, generation, nextMs }: Extract<Input, { type: 'acknowledged' }>,
  now: EpochMs,
): Heard {
  const { flushed: _given, sentAway: _back, notified: _waited, ...rest } = onLine(state, plusMs(now, nextMs));
  const seq = incarnation === state.incarnation ? state.seq : 0;
  const list = generation === state.generation || state.list.version === undefined ? state.list : unread(state.list);
  const next: AgentState = { ...rest, phase: 'member', incarnation, generation, seq, intervalMs: nextMs, quarantined: false, list };
  const { next: ready, actions } = logged(
    withReleased(withReport(next, { type: 'node.ready' })),
    `acknowledged: incarnation ${incarnation}, generation ${generation}`,
  );
  return { next: ready, actions: list === state.list ? actions : [...actions, { do: 'flush' }] };
}

/**
 * Drops the version of a list from another membership, which no longer applies: where another machine has this key,
 * that machine may be the one that flushed.
 */
function unread({ version: _other, ...list }: AgentState['list']): AgentState['list'] {
  return { ...list, mapVersion: 0 };
}

function heartbeatAnswered(
  state: AgentState,
  { nextMs, desired, listStale, unlisted, mapVersion, revoked, generation = state.generation }: Extract<Input, { type: 'beaten' }>,
  now: EpochMs,
): Heard {
  const again = (task: Task): Task => (task === 'resting' ? 'idle' : task);
  const next: AgentState = {
    ...onLine(state, plusMs(now, nextMs)),
    // Under the same incarnation the membership changes only when the node has taken the place of another node.
    intervalMs: nextMs,
    quarantined: false,
    generation,
    ...(revoked !== undefined && { revoked }),
    desired: { ...state.desired, notified: desired, task: again(state.desired.task) },
    releasing: { ...state.releasing, task: again(state.releasing.task) },
    list: { ...state.list, notified: mapVersion, stale: state.list.stale || listStale || unlisted, task: again(state.list.task) },
    reports: { ...state.reports, task: again(state.reports.task) },
  };
  if (state.quarantined) return logged(next, 'the quarantine of this node is over');
  if (generation !== state.generation) return logged(next, `this node has taken another node's place: generation ${generation}`);
  return state.line.failures > 0 ? logged(next, 'Muster answers again') : { next, actions: [] };
}

/**
 * A client system that is seen here and is not on the list does not know that it belongs elsewhere, or is banned: while
 * this node was not heard, its slot may have moved without an order for us. With the first list of a membership that
 * holds for every client system, because they were assigned under another membership.
 */
function listed(state: AgentState, { version, mapVersion, systems }: Extract<Input, { type: 'listed' }>): Heard {
  const { next, actions } = logged(
    { ...state, list: { ...state.list, version, mapVersion, task: 'idle' } },
    `the list has ${systems} client systems`,
  );
  return { next, actions: [...actions, { do: 'make-knock', everyone: state.list.version === undefined }] };
}

/**
 * Reports a release order again that is carried out and still listed: its report may have been lost with the boot
 * before. Muster ignores a repeat.
 */
function withReleased(state: AgentState): AgentState {
  const { release, released: mapVersion } = state.desired;
  const listed = release.some((order) => order.mapVersion <= mapVersion);
  return listed ? withReport(state, { type: 'node.released', mapVersion }) : state;
}

const releasedLine = ({ systems, mapVersion, knocking }: Extract<Input, { type: 'released' }>): string =>
  knocking
    ? `released ${systems} client systems, map version ${mapVersion}`
    : `${systems} client systems have moved, map version ${mapVersion}: without a release hook they find out at their next call`;

function released(state: AgentState, mapVersion: number): AgentState {
  const next: AgentState = {
    ...state,
    desired: { ...state.desired, released: Math.max(state.desired.released, mapVersion) },
    releasing: { task: 'idle', failures: 0 },
  };
  return withReport(next, { type: 'node.released', mapVersion });
}

function releaseFailed(state: AgentState, { mapVersion, why }: Extract<Input, { type: 'release-failed' }>): Heard {
  const failures = state.releasing.failures + 1;
  if (failures >= releaseTriesMax)
    return logged(
      released(state, mapVersion),
      `the release hook failed ${failures} times (${why}): the client systems find out by themselves`,
    );
  return logged(
    { ...state, releasing: { task: 'resting', failures } },
    `the release hook failed (${why}); trying again after the next heartbeat`,
  );
}

/** The state without the reports that Muster has. */
const withoutReports = (state: AgentState, had: readonly NodeReport[]): AgentState => ({
  ...state,
  reports: { ...state.reports, out: state.reports.out.filter(({ n }) => !had.some((report) => report.n === n)), task: 'idle' },
});

type NewReport = { readonly type: 'node.ready' } | { readonly type: 'node.released'; readonly mapVersion: number };

function withReport(state: AgentState, report: NewReport): AgentState {
  const { out, next, task } = state.reports;
  // A ready report is about this boot: an older one that still waits reports the same.
  if (report.type === 'node.ready' && out.some(({ type }) => type === 'node.ready')) return state;
  if (report.type === 'node.released' && out.some((waiting) => waiting.type === report.type && waiting.mapVersion === report.mapVersion))
    return state;
  return { ...state, reports: { out: [...out, { ...report, n: next }], next: next + 1, task } };
}

/** The node continues with what it has. The log has the first failure in a row only. */
function notReached(state: AgentState, { call, why, random }: Extract<Input, { type: 'unreachable' }>, now: EpochMs): Heard {
  if (call !== 'join' && call !== 'up' && call !== 'heartbeat') return { next: resting(state, call), actions: [] };
  const next = slower(state, { random, retryAfterMs: 0 }, now);
  return next.line.failures === 1 ? logged(next, `${why}; the agent continues without Muster, and tries again`) : { next, actions: [] };
}
