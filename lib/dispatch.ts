import type { Report, ReportType } from '../events/catalogue.ts';
import type { Decision, RowRef } from './decision.ts';
import { decideDesired } from './desired/decide.ts';
import { decideDigest } from './digests/digest.ts';
import { decideHost } from './hosts/host.ts';
import { decide as decideNode } from './nodes/decide.ts';
import type { EpochMs } from './units.ts';

/** One row that a report concerns, and who decides about it. */
export type Step = { readonly ref: RowRef; readonly decide: (state: unknown, now: EpochMs) => Decision<unknown> };

type Of<T extends ReportType> = Extract<Report, { type: T }>;
type Steps = { readonly [T in ReportType]: (report: Of<T>) => readonly Step[] };

const row = <S>(noun: string, id: string, decide: (state: S | undefined, now: EpochMs) => Decision<unknown>): Step => ({
  ref: { noun, id },
  decide: (state, now) => decide(state as S | undefined, now),
});
const node = (report: Report): Step =>
  row<Parameters<typeof decideNode>[0]>('node', report.node, (state, now) => decideNode(state, report, now));

/** Which rows each report concerns, the node first: a step is taken only while the node is known. The one table that knows every noun's decide. */
const steps: Steps = {
  'node.up': (up) => [node(up), row<Parameters<typeof decideHost>[0]>('host', up.node, (state) => decideHost(state, up))],
  'node.heartbeat': (beat) => [
    node(beat),
    ...(beat.data.digest ? [row<Parameters<typeof decideDigest>[0]>('digest', beat.node, (state) => decideDigest(state, beat))] : []),
  ],
  'node.ready': (ready) => [node(ready)],
  'node.leaving': (leaving) => [node(leaving)],
  'node.released': (released) => [
    node(released),
    row<Parameters<typeof decideDesired>[0]>('desired', released.node, (state) => decideDesired(state, released)),
  ],
};

/** The rows that a report concerns, in order. */
export const stepsOf = <T extends ReportType>(report: Of<T>): readonly Step[] =>
  (steps[report.type as T] as (report: Of<T>) => readonly Step[])(report);
