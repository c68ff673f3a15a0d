import type { Fid } from '../../../lib/core/fid.ts';
import { type EpochMs, earlier } from '../../../lib/core/time.ts';
import type { Step } from '../../../lib/machine/reactor.ts';
import type { DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import { inOrder } from '../supervised/supervised.ts';
import { againDueAt, drive } from './drive.ts';
import { driveEach, lookIfDue } from './fold.ts';
import { hear, type Input } from './hear.ts';
import type { Held, HostReport, ProcessesState } from './state.ts';

/**
 * Actions about processes: start, stop, kill or forget one, look at all of them, send reports to Muster, log a line.
 */
export type Action =
  | { readonly do: 'start'; readonly process: DesiredProcess }
  | { readonly do: 'stop'; readonly held: Held }
  | { readonly do: 'kill'; readonly held: Held }
  | { readonly do: 'forget'; readonly held: Held }
  | { readonly do: 'look'; readonly held: readonly Held[] }
  | { readonly do: 'report'; readonly reports: readonly HostReport[] }
  | { readonly do: 'say'; readonly line: string };

/** The most reports in one call. */
export const reportsPerCall = 100;

/**
 * Decides what to do about the processes of this host. It folds the input into the state, then drives each process
 * towards its goal: one action at a time for each process, all processes at once. It has no line to Muster: it stores
 * the desired state, and its reports wait.
 */
export function decide(state: ProcessesState, input: Input, now: EpochMs): Step<ProcessesState, Action> {
  const heard = hear(state, input, now);
  const wanted = new Map<Fid, DesiredProcess>(heard.next.desired?.processes.map((process) => [process.process, process]));
  const { next: after, actions } = inOrder<ProcessesState, Action>(
    heard,
    (so) => driveEach(so, (each, held) => drive(each, held, wanted.get(held.process), now)),
    (so) => lookIfDue(so, ({ busy }) => !busy, now),
    (so) => report(so, now),
  );
  const { wakeAt: _before, ...next } = after;
  const wakeAt = nextMoment(after, wanted);
  return { next: wakeAt === undefined ? next : { ...next, wakeAt }, actions };
}

function report(state: ProcessesState, now: EpochMs): Step<ProcessesState, Action> {
  const { reports } = state;
  if (reports.sending || now < reports.at || reports.out.length === 0) return { next: state, actions: [] };
  const some = reports.out.slice(0, reports.alone > 0 ? 1 : reportsPerCall);
  return { next: { ...state, reports: { ...reports, sending: true } }, actions: [{ do: 'report', reports: some }] };
}

function nextMoment({ held, look: next, reports }: ProcessesState, wanted: ReadonlyMap<Fid, DesiredProcess>): EpochMs | undefined {
  const all = [...held.values()].filter(({ busy }) => !busy);
  const looked = !next.looking && all.length > 0 ? next.at : undefined;
  const reportAt = reports.out.length > 0 && !reports.sending ? reports.at : undefined;
  return all.reduce((at, one) => earlier(at, againDueAt(one, wanted.get(one.process))), earlier(looked, reportAt));
}
