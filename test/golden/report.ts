import type { Report } from '../../events/catalogue.ts';
import { processStep, serviceStep, stepsOf, supervisorStep } from '../../lib/assembly/dispatch.ts';
import type { Decision, RowRef } from '../../lib/core/decision.ts';
import type { StepBeside } from '../../lib/core/step.ts';
import { type EpochMs, plusMs } from '../../lib/core/time.ts';
import { saidBy, withTable } from '../../lib/mero/processes/changes/reports.ts';
import type { MeroProcess } from '../../lib/mero/processes/process.ts';
import { resync } from '../../lib/mero/processes/resync.ts';
import { limitsOf } from '../../lib/mero/processes/rows/limits.ts';
import type { Node } from '../../lib/nodes/node.ts';
import type { Attributes } from '../../lib/ports/table/attributes.ts';
import { parseAttributes, printAttributes } from '../../lib/ports/table/json.ts';

/** The rows that a report meets, and when it is decided upon. */
export type Start = { readonly now: EpochMs; readonly rows: readonly { readonly ref: RowRef; readonly state?: unknown }[] };

/** What is decided upon a row, but for the words that say why. */
export type Decided = { readonly ref: RowRef; readonly decision: object };

/**
 * The start for an example, a second after its door received it: every row that it concerns, with the state that is given for its noun. What is
 * said of processes and services concerns those of the node.
 */
export const startOf = (report: Report, given: Readonly<Record<string, unknown>>): Start => {
  const node = given['node'] as Node | undefined;
  const step = node && aboutWhatRuns(report, node);
  const refs = [...stepsOf(report).map(({ ref }) => ref), ...(step ? [step.ref, ...step.beside] : []), ...tabledIn(report, given)];
  return {
    now: plusMs(report.receivedAt, 1_000),
    rows: refs.map((ref) => ({ ref, ...(given[ref.noun] !== undefined && { state: given[ref.noun] }) })),
  };
};

const aboutWhatRuns = (report: Report, node: Node): StepBeside | undefined =>
  processStep(report, node) ?? serviceStep(report, node) ?? supervisorStep(report, node);

/** The row of the process that is given with a table. */
const tabledIn = (report: Report, given: Readonly<Record<string, unknown>>): RowRef[] => {
  const process = given['process'] as MeroProcess | undefined;
  return report.type === 'node.table' && process ? [{ noun: 'process', id: `${process.zone}/${process.fid}` }] : [];
};

/** What is decided upon each row of the start, exactly: what it becomes, its events, and when to look again. */
export const decidedOn = (report: Report, { now, rows }: Start): Decided[] => {
  const node = stateIn(rows, 'node') as Node | undefined;
  const step = node && aboutWhatRuns(report, node);
  if (step) return [{ ref: step.ref, decision: unworded(step.decide(stateIn(rows, step.ref.noun), besideIn(rows, step), now)) }];
  if (report.type === 'node.table') return tableDecided(report, rows, now);
  return rows.map(({ ref, state }) => {
    const step = stepsOf(report).find((one) => one.ref.noun === ref.noun && one.ref.id === ref.id);
    return { ref, decision: step ? unworded(step.decide(state, now)) : { does: 'no longer concern it' } };
  });
};

const stateIn = (rows: Start['rows'], noun: string): unknown => rows.find(({ ref }) => ref.noun === noun)?.state;
const besideIn = (rows: Start['rows'], { beside }: StepBeside): unknown[] => beside.map(({ noun }) => stateIn(rows, noun));
const unworded = ({ because: _words, ...decision }: Decision<unknown>): object => decision;

/** What a table decides upon the process that is given, which is to run. */
function tableDecided(report: Extract<Report, { type: 'node.table' }>, rows: Start['rows'], now: EpochMs): Decided[] {
  const [node, process] = [stateIn(rows, 'node') as Node | undefined, stateIn(rows, 'process') as MeroProcess | undefined];
  if (!node || !process) return [];
  const { table, ...said } = saidBy(withTable(report, node)!, node);
  const entry = table.processes.find((one) => one.process === process.fid);
  const decision = resync(process, entry, { node: node.id, ...said }, { goal: 'run', limits: limitsOf({ vars: {} }) }, now);
  return [{ ref: { noun: 'process', id: `${process.zone}/${process.fid}` }, decision: unworded(decision) }];
}

/** A start or what was decided as it is frozen; bytes are in base64. */
export const printed = (value: Start | { readonly because?: string; readonly decided: readonly Decided[] }): string =>
  `${JSON.stringify(JSON.parse(printAttributes(value as unknown as Attributes)), undefined, 2)}\n`;

/** What {@link printed} made a text of. */
export const read = <T extends Parameters<typeof printed>[0]>(text: string): T =>
  parseAttributes(JSON.stringify(JSON.parse(text))) as unknown as T;
