import { BusReport, type Report, reported, takenFrom } from '../../events/catalogue.ts';
import { byBus } from '../../events/define.ts';
import { recordSilence } from '../clients/silence/changes.ts';
import type { Decision } from '../core/decision.ts';
import { Poison } from '../core/errors.ts';
import { leaseUntilOf } from '../core/lease.ts';
import type { StepBeside } from '../core/step.ts';
import { lookAfter } from '../mero/levels/changes.ts';
import { applyBeside, applyTable, isTakenIn, withTable } from '../mero/processes/changes/reports.ts';
import { takeBearing } from '../nodes/changes/bearing.ts';
import type { DigestRow } from '../nodes/digests/digest.ts';
import { applyFlushed } from '../nodes/handlers/readmit.ts';
import { attributedTo, fromVoucher, handedOn } from '../nodes/handlers/vouched.ts';
import type { Node } from '../nodes/node.ts';
import { isMadeAgain } from '../nodes/on-heartbeat.ts';
import { lastUpBy, whyNotItsVoice } from '../nodes/vouched.ts';
import type { Message } from '../ports/queue/queue.ts';
import type { Row } from '../ports/table/table.ts';
import { apply } from '../runtime/apply.ts';
import { type Lane, poisonOf } from '../runtime/on-queue.ts';
import type { Shell } from '../runtime/shell.ts';
import { applyToService } from '../services/changes/reports.ts';
import { applyMissed } from '../services/handlers/missed.ts';
import { haltNow } from '../stations/changes.ts';
import { admittedStep, isAboutService, processStep, type Step, serviceStep, stepsOf, supervisorStep } from './dispatch.ts';

/** Rows of one node that were just read, by their nouns. */
export type RowsRead = Readonly<Record<string, Row | undefined>>;

/**
 * Decides on a report, row by row, the node first. A report of a node that never joined changes nothing, nor does a
 * report of another boot than the acknowledged one. A heartbeat older than the lease that it would renew is only
 * counted. `read` has the rows that were just read. Gives the node as it is then; undefined when its row was not read.
 */
export async function applyReport(report: Report, by: Shell, read: RowsRead = {}): Promise<Node | undefined> {
  const shell = attributedTo(by, report);
  if (report.type === 'node.heartbeat' && leaseUntilOf(report) <= shell.now()) {
    shell.log('warn', 'heartbeat.late', { id: report.id, row: `node ${report.node}`, ms: shell.now() - report.receivedAt });
    return undefined;
  }
  let node: Node | undefined;
  let isAnew = false;
  for (const step of stepsOf(report)) {
    const { ref } = step;
    const startedAt = shell.now();
    const { decision, state } = await throughQuorum(shell, report, await applyStep(report, step, shell, read[ref.noun]));
    shell.log(isRoutine(report, decision) ? 'debug' : 'info', 'report.applied', {
      id: report.id,
      type: report.type,
      row: `${ref.noun} ${ref.id}`,
      does: decision.does,
      because: decision.because,
      ms: shell.now() - startedAt,
    });
    if (isClone(decision)) shell.log('warn', 'node.cloned', { id: report.id, row: `node ${report.node}`, because: decision.because });
    if (ref.noun === 'digest' && node && decision.does === 'write' && !isCloned(node))
      await recordSilence(shell, node, decision.next as DigestRow);
    if (ref.noun !== 'node') continue;
    node = state as Node | undefined;
    isAnew = decision.does === 'write';
    if (!isHeard(node, report)) return node;
  }
  if (node && report.type === 'node.heartbeat' && report.data.bearing) await takeBearing(shell, node, report);
  if (node) await applyToWhatRuns(report, node, { isAnew }, shell);
  return node;
}

/**
 * Applies a report to the processes and services of its node: it is about one of them, or a table of all. `isAnew`: it
 * has just changed the node's row. So has the report of a node that was only cut off and reports once more what runs.
 */
async function applyToWhatRuns(report: Report, node: Node, { isAnew }: { readonly isAnew: boolean }, shell: Shell): Promise<void> {
  // A node that was given up or replaced reports for nothing any more: another node may have its host by now.
  if (node.status === 'dropped' || node.replacedBy) return;
  const tabled = withTable(report, node);
  if (tabled) return isAnew || !isTakenIn(tabled, node) ? applyTable(shell, tabled, node) : undefined;
  const step = processStep(report, node) ?? serviceStep(report, node) ?? supervisorStep(report, node);
  if (!step) return;
  const startedAt = shell.now();
  const decision = await applyStepBeside(shell, report, step);
  shell.log('refused' in decision ? 'warn' : 'info', 'report.applied', {
    id: report.id,
    type: report.type,
    row: `${step.ref.noun} ${step.ref.id}`,
    does: decision.does,
    because: decision.because,
    ms: shell.now() - startedAt,
  });
}

async function applyStepBeside(shell: Shell, report: Report, step: StepBeside): Promise<Decision<unknown>> {
  if (isAboutService(report)) return (await applyToService(shell, report, step)).decision;
  if (report.type === 'supervisor.missed') return applyMissed(shell, report, step);
  const decision = await applyBeside(shell, report, step);
  await lookAfter(shell, decision);
  return decision;
}

/**
 * Whether the change of a report to its node is routine. There are millions of heartbeats a month, and a report about a
 * process changes nothing about the node.
 */
const isRoutine = ({ type }: Report, decision: Decision<unknown>): boolean =>
  (type === 'node.heartbeat' || /^(process|service|supervisor)\./.test(type)) && !(decision.does === 'write' && decision.events.length > 0);

/** Whether a node was quarantined because two machines use its key: an operator must check both. */
const isClone = (decision: Decision<unknown>): boolean =>
  decision.does === 'write' &&
  decision.events.some(({ type, data }) => type === 'node.quarantined' && (data as { reason?: string }).reason === 'clone');

/** Whether two machines use its key, so that a digest may be of a machine that none of its client systems is on. */
const isCloned = (node: Node): boolean => node.status === 'quarantined' && node.reason === 'clone';

type Applied = { readonly decision: Decision<unknown>; readonly state: unknown };

/**
 * Decides on one row. Gives the decision, and the row's state afterwards. A node that comes back as new is decided on
 * together with its name.
 */
async function applyStep(report: Report, { ref, decide }: Step, shell: Shell, row: Row | undefined): Promise<Applied> {
  if (report.type === 'node.up' && report.data.flushed !== undefined && ref.noun === 'node') {
    const { decision, node } = await applyFlushed(shell, report);
    return { decision, state: node };
  }
  const { decision, before, state } = await apply(shell, ref, report, (before, _report, now) => decide(before, now), row);
  return { decision, state: state ?? before };
}

/**
 * Decides again on the first node-up of a node that waits for a majority of its zone's stations. The node may be one of
 * them, and it is let in once there is a majority.
 */
async function throughQuorum(shell: Shell, report: Report, done: Applied): Promise<Applied> {
  const node = done.state as Node | undefined;
  if (report.type !== 'node.up' || node?.status !== 'waiting' || whyNotItsVoice(node, report) !== undefined) return done;
  // A vouched node-up that was recorded before does not wait.
  if (report.vouched && done.decision.does !== 'write') return done;
  const halt = await haltNow(shell, node, { id: report.id, at: report.receivedAt });
  if (halt === undefined) return applyStep(report, admittedStep(report), shell, undefined);
  return { ...done, decision: { ...done.decision, because: halt } };
}

/**
 * Whether a report is of the boot that its node's row acknowledges, and no repeated heartbeat. Only such a report has
 * anything to say about other rows. A node-up from before that boot was last acknowledged has not: of two boots that
 * took turns, it belongs to an incarnation that is over.
 */
function isHeard(node: Node | undefined, report: Report): boolean {
  if (!node || whyNotItsVoice(node, report) !== undefined) return false;
  if (report.type === 'node.up')
    return report.data.boot.id === node.boot?.id && report.receivedAt >= node.boot.receivedAt && isNewestUp(node, report);
  if (report.incarnation !== undefined && report.incarnation !== node.incarnation) return false;
  return report.type !== 'node.heartbeat' || !isMadeAgain(node, report);
}

/** Whether a node-up has the highest number of its sender, if that counts: an older one has older facts of its host. */
const isNewestUp = (node: Node, { vouched, seq = 0 }: Pick<Report, 'vouched' | 'seq'>): boolean =>
  vouched === undefined || seq === lastUpBy(node, vouched.by);

/**
 * The lane of a report about a process or service of a node, so that such reports are handled in order: its start, that
 * it is ready, its end. Undefined for any other report.
 */
export function laneOf(raw: unknown): Lane | undefined {
  const { type, node, seq, data } = Object(raw) as {
    type?: unknown;
    node?: unknown;
    seq?: unknown;
    data?: { process?: unknown; service?: unknown };
  };
  if (typeof type !== 'string' || !/^(process|service|supervisor)\./.test(type)) return undefined;
  return { about: `${node} ${data?.process ?? data?.service}`, place: typeof seq === 'number' ? seq : 0 };
}

/**
 * A report that a rule of the ingest bus handed on. It counts from when it was sent, because no handler stamped it; a
 * vouched report counts from when the bus took it. Throws {@link Poison} for a report that may not come this way.
 */
export function fromBus(raw: unknown, message: Message, shell: Shell): Report {
  const handed = handedOn(raw);
  if (handed) return fromVoucher(handed, message, shell);
  const read = BusReport.safeParse(raw);
  if (read.success) return { ...takenFrom(byBus, read.data), receivedAt: message.sentAt, intervalMs: shell.settings.beatMinMs };
  const poison = poisonOf(read.error, raw);
  const type = String((Object(raw) as { type?: unknown }).type);
  throw poison.code === 'unknown-type' && Object.hasOwn(reported, type)
    ? new Poison('not-from-bus', `a ${type} is only accepted from the node itself, not from the bus`)
    : poison;
}
