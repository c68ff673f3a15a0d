import type { RunningService } from '../../../events/reported/process.ts';
import { backoffMs } from '../../../lib/api/backoff.ts';
import type { Fid } from '../../../lib/core/fid.ts';
import { type EpochMs, plusMs, secondMs, unreachable } from '../../../lib/core/time.ts';
import type { Step } from '../../../lib/machine/reactor.ts';
import type { DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import { fallen } from '../supervised/alone.ts';
import { lookAfter } from '../supervised/look.ts';
import type { Life } from '../supervised/thing.ts';
import type { Action } from './decide.ts';
import { changed, forgotten, idle, takeIn, withHeld, withReport, withServiceReports, withTable } from './fold.ts';
import type { Look, Seen } from './runner.ts';
import { seen } from './seen.ts';
import type { Held, HostReport, ProcessesState } from './state.ts';
import type { UnnumberedReport } from './words.ts';

/** A launcher's report of a process that it starts and stops itself. */
export type LifeReport = { readonly process: Fid; readonly is: 'STARTED' | 'STOPPED'; readonly life?: Life };

/** What can happen to processes and to reports of them. `random` is a number in [0, 1), drawn when it happened. */
export type Input =
  | { readonly type: 'tick' }
  | { readonly type: 'desired'; readonly rev: number; readonly processes: readonly DesiredProcess[] }
  | { readonly type: 'begun'; readonly process: Fid; readonly life?: Life }
  | { readonly type: 'not-begun'; readonly process: Fid; readonly why: string }
  /** The process was asked to stop; `why` when that failed. */
  | { readonly type: 'stop-told'; readonly process: Fid; readonly why?: string }
  /** The process was killed; `why` when that failed. */
  | { readonly type: 'killed'; readonly process: Fid; readonly why?: string }
  | { readonly type: 'forgotten'; readonly process: Fid }
  /** `held` as they were when the look began. */
  | { readonly type: 'looked'; readonly held: readonly Held[]; readonly look: Look }
  /** Something has ended: a look is due. */
  | { readonly type: 'ended' }
  | ({ readonly type: 'told' } & LifeReport)
  /** Muster has answered a heartbeat; `resync`: it asks for the table of what runs here, with these services. */
  | { readonly type: 'heard'; readonly resync: boolean; readonly services?: readonly RunningService[] }
  /** There are reports about services. */
  | { readonly type: 'said'; readonly reports: readonly UnnumberedReport[] }
  | { readonly type: 'reported'; readonly reports: readonly HostReport[] }
  /**
   * `forGood`: Muster will never take it, because its process is not this node's, or because this Muster does not know
   * the kind of report.
   */
  | {
      readonly type: 'not-reported';
      readonly reports: readonly HostReport[];
      readonly why: string;
      readonly forGood: boolean;
      readonly random: number;
    };

type Heard = Step<ProcessesState, Action>;

const stopAgainMs = 5 * secondMs;
/** Reports wait at most this long after Muster is reachable again; every answered heartbeat also has them sent. */
const reportMaxMs = 15 * secondMs;

/** Folds an input into the state; the actions are decided afterwards. */
export function hear(state: ProcessesState, input: Input, now: EpochMs): Heard {
  switch (input.type) {
    case 'tick':
      return just(state);
    case 'desired':
      return just(desired(state, input, now));
    case 'begun':
      return just(changed(state, input.process, ({ busy: _done, ...held }) => ({ ...held, ...(input.life && { life: input.life }) })));
    case 'not-begun':
      return notBegun(state, input, now);
    case 'stop-told':
      return stopAsked(state, input, now);
    case 'killed':
      return killed(state, input, now);
    case 'forgotten':
      return just(begunAnew(state, input.process, now));
    case 'looked':
      return looked(state, input, now);
    case 'ended':
      return just({ ...state, look: { ...state.look, at: now } });
    case 'told':
      return just(launcherReported(state, input, now));
    case 'heard':
      return just(heard(input.resync ? withTable(state, input.services ?? [], now) : state, now));
    case 'said':
      return just(withServiceReports(state, input.reports));
    case 'reported':
      return just(sent(state, input.reports, now));
    case 'not-reported':
      return notReported(state, input, now);
    default:
      return unreachable(input);
  }
}

const just = (next: ProcessesState): Heard => ({ next, actions: [] });
const logged = (next: ProcessesState, line: string): Heard => ({ next, actions: [{ do: 'say', line }] });

function desired(state: ProcessesState, { rev, processes }: Extract<Input, { type: 'desired' }>, now: EpochMs): ProcessesState {
  const held = new Map(state.held);
  for (const wanted of processes) held.set(wanted.process, asWanted(held.get(wanted.process), wanted, now));
  return lookingAtNew({ ...state, desired: { version: 1, rev, processes: [...processes] }, held }, now);
}

/** Makes a look due at once for new processes: one may run already, so the look comes before its start. */
const lookingAtNew = (state: ProcessesState, now: EpochMs): ProcessesState =>
  [...state.held.values()].some(({ looked }) => !looked) ? { ...state, look: { ...state.look, at: now } } : state;

/** The record of a process under its present desired state; a new one does not run as far as is known. */
function asWanted(held: Held | undefined, { process, prefix, goal, startMs, stopMs }: DesiredProcess, now: EpochMs): Held {
  const { unmanaged: _before, ...known } = held ?? { process, is: 'idle', since: now };
  return { ...known, prefix, startMs, stopMs, ...(goal === 'watch' && { unmanaged: true }) };
}

function notBegun(state: ProcessesState, { process, why }: Extract<Input, { type: 'not-begun' }>, now: EpochMs): Heard {
  const held = state.held.get(process);
  if (!held) return just(state);
  const next = withReport(state, held, undefined, { type: 'process.failed', data: { reason: reasonOf(why) } }, now);
  const ended = { ...idle(held, now), ...fallen(held, held.startMs, state, now) };
  return logged(withHeld(next, ended), `could not start ${process}: ${why}`);
}

const reasonOf = (why: string): string => why.slice(0, 400) || 'it could not be started';

function stopAsked(state: ProcessesState, { process, why }: Extract<Input, { type: 'stop-told' }>, now: EpochMs): Heard {
  const next = changed(state, process, ({ busy: _done, notBefore: _waited, ...held }) =>
    why === undefined ? { ...held, asked: true } : { ...held, notBefore: plusMs(now, stopAgainMs) },
  );
  return why === undefined ? just(next) : logged(next, `could not stop ${process} (${why}); trying again`);
}

/** Reports the kill as a failure, unless the process has failed already because it was not ready in time. */
function killed(state: ProcessesState, { process, why }: Extract<Input, { type: 'killed' }>, now: EpochMs): Heard {
  const before = state.held.get(process);
  if (!before) return just(state);
  const { busy: _done, ...held } = before;
  const how = why === undefined ? 'and was killed' : `and was not killed: ${why}`;
  const reason = `it did not stop within ${held.stopMs / secondMs} s ${how}`.slice(0, 400);
  const reported = held.failed ? state : withReport(state, held, held.life, { type: 'process.failed', data: { reason } }, now);
  return logged(withHeld(reported, { ...held, killed: true, failed: true }), `${held.prefix} ${process}: ${reason}`);
}

/** Forgets a process; one that came back meanwhile gets a new record. */
function begunAnew(state: ProcessesState, process: Fid, now: EpochMs): ProcessesState {
  const wanted = state.desired?.processes.find((one) => one.process === process);
  return lookingAtNew(forgotten(state, process, wanted && asWanted(undefined, wanted, now)), now);
}

function looked(state: ProcessesState, { held, look }: Extract<Input, { type: 'looked' }>, now: EpochMs): Heard {
  const { trouble } = state.look;
  const over = (so: ProcessesState, why: string) => ({ ...so, look: { at: lookAfter(so, now), looking: false, trouble: why } });
  if (!look.ok) {
    const next = over(state, look.why);
    return look.why === trouble ? just(next) : logged(next, `cannot see which processes run (${look.why}); trying again`);
  }
  const foundOf = (process: Fid) => look.seen.get(process);
  const { next, actions } = takeIn(state, held, {
    foundOf,
    isAsItWas,
    takeIn: (so, one, found: Seen) => ({
      next: changed(seen(so, one, found, now), one.process, (after) => ({ ...after, looked: true })),
      line: found.is === 'absent' && one.is !== 'idle' ? endOf(one, found) : undefined,
    }),
  });
  const back: Action[] = trouble === '' ? [] : [{ do: 'say', line: 'the agent sees again which processes run' }];
  return { next: over(next, ''), actions: [...back, ...actions] };
}

/** A log line about a process that has ended, and whether it was asked to. */
function endOf({ process, prefix, is }: Held, { exit, why }: Extract<Seen, { is: 'absent' }>): string {
  if (is === 'stopping') return `stopped ${prefix} ${process}`;
  const how = why ?? (exit === undefined ? undefined : `exit status ${exit}`);
  return `${prefix} ${process} has ended by itself${how === undefined ? '' : ` (${how})`}`;
}

/** Whether a look applies to a process: it does not if the process started or ended after the look began. */
const isAsItWas = (held: Held, before: Held): boolean =>
  !held.busy &&
  held.is === before.is &&
  held.since === before.since &&
  held.life?.pid === before.life?.pid &&
  held.life?.born === before.life?.born;

/**
 * Takes a launcher's report into the record as if the agent had seen it. Ignores the end of a life that is not the one
 * on record.
 */
function launcherReported(state: ProcessesState, { process, is, life }: LifeReport, now: EpochMs): ProcessesState {
  const held = state.held.get(process);
  if (!held || held.busy) return state;
  if (is === 'STARTED') return seen(state, held, { is: 'online', ...(life && { life }) }, now);
  const isOlder = life !== undefined && held.life !== undefined && life.pid !== held.life.pid;
  return isOlder ? state : seen(state, held, { is: 'absent' }, now);
}

/** Muster is reachable: waiting reports are due now. */
const heard = (state: ProcessesState, now: EpochMs): ProcessesState =>
  state.reports.failures > 0 ? { ...state, reports: { ...state.reports, at: now } } : state;

function sent(state: ProcessesState, had: readonly HostReport[], now: EpochMs): ProcessesState {
  const { out, alone, ...reports } = state.reports;
  const left = out.filter(({ n }) => !had.some((report) => report.n === n));
  return { ...state, reports: { ...reports, out: left, sending: false, at: now, failures: 0, alone: Math.max(0, alone - had.length) } };
}

function notReported(state: ProcessesState, input: Extract<Input, { type: 'not-reported' }>, now: EpochMs): Heard {
  const { reports, why, forGood, random } = input;
  // One bad report must not lose the others: each goes alone until the bad one is found.
  if (forGood && reports.length > 1)
    return just({ ...state, reports: { ...state.reports, sending: false, at: now, alone: reports.length } });
  if (forGood) return logged(sent(state, reports, now), `Muster refused a report, and the agent drops it: ${why}`);
  const failures = state.reports.failures + 1;
  const at = plusMs(now, backoffMs(failures, random, { maxMs: reportMaxMs }));
  return just({ ...state, reports: { ...state.reports, sending: false, at, failures } });
}
