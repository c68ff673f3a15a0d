import type { RunningService } from '../../../events/reported/process.ts';
import type { Fid } from '../../../lib/core/fid.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import { supervising } from '../supervised/supervised.ts';
import type { Life } from '../supervised/thing.ts';
import { lasting } from '../supervised/thing.ts';
import { reportedTable } from './shown.ts';
import type { Held, HostReport, ProcessesState, ProcessReport } from './state.ts';
import type { UnnumberedReport } from './words.ts';

/**
 * The most reports that may wait: 100 processes that start and stop ten times while Muster is unreachable. Above that,
 * the agent drops the oldest. Muster then asks for the table, because the table's hash differs from the one it knows.
 */
export const reportsMax = 2_000;

type ReportContent = {
  readonly [T in ProcessReport['type']]: {
    readonly type: T;
    readonly data: Omit<Extract<ProcessReport, { type: T }>['data'], 'process' | 'pid' | 'born'>;
  };
}[ProcessReport['type']];

/** The state with one more report about a process and this life of it. */
export function withReport(
  state: ProcessesState,
  { process }: Held,
  life: Life | undefined,
  { type, data }: ReportContent,
  at: EpochMs,
): ProcessesState {
  return append(state, { n: state.reports.next, at, type, data: { process, ...life, ...data } } as ProcessReport);
}

/** The state with reports about services, each under the next number. */
export const withServiceReports = (state: ProcessesState, reports: readonly UnnumberedReport[]): ProcessesState =>
  reports.reduce((next, report) => append(next, { ...report, n: next.reports.next }), state);

/** The state with a report of the table; it replaces one that waits already, because it is newer. */
export const withTable = (state: ProcessesState, services: readonly RunningService[], at: EpochMs): ProcessesState =>
  append(
    { ...state, reports: { ...state.reports, out: state.reports.out.filter(({ type }) => type !== 'node.table') } },
    { n: state.reports.next, at, type: 'node.table', data: reportedTable(state.held.values(), services) },
  );

const append = (state: ProcessesState, report: HostReport): ProcessesState => ({
  ...state,
  reports: { ...state.reports, out: [...state.reports.out, report].slice(-reportsMax), next: report.n + 1 },
});

/** The parts of supervision that processes share with services. */
export const { withHeld, changed, forgotten, driveEach, lookIfDue, takeIn } = supervising<Fid, Held, ProcessesState>(
  ({ process }) => process,
);

/** The record of a process that does not run: what it is, and which start was acted on. */
export function idle(held: Held, since: EpochMs): Held {
  const { life: _life, failed: _failed, asked: _asked, ...rest } = lasting(held);
  return { ...rest, is: 'idle', since };
}
