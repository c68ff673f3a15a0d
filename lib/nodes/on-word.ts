import type { NodeReport } from '../../events/reported/node.ts';
import { type Decision, nothing, write } from '../core/decision.ts';
import { type EpochMs, plusMs } from '../core/time.ts';
import { deadlineFault } from './deadline.ts';
import { concluded, lasting, type Node, type NodeIn, pending } from './node.ts';

/** The node has what it needs and can take client systems. */
export function onReady(node: Node, _ready: Extract<NodeReport, { type: 'node.ready' }>, now: EpochMs): Decision<Node> {
  if (!node.unready) return nothing('it has already reported ready');
  const { unready: _before, ...reported } = node;
  if (node.status !== 'joining') {
    // A quarantine is not over because the node is ready.
    const ready: Node = reported.status === 'suspect' && reported.was === 'joining' ? { ...reported, was: 'up' } : reported;
    const because = ready.status === 'suspect' ? 'ready: it will be up at its next heartbeat' : `ready, and still ${node.status}`;
    return write<Node, never>(ready, because);
  }
  const { unready: _unready, ...rest } = lasting(node);
  const next: Node = { ...rest, ...pending(node), status: 'up', leaseUntil: node.leaseUntil, awaitsPlan: true };
  return write(next, 'ready: it can take client systems', { events: [concluded('node.activated', next, {})], wakeAt: now });
}

/** How long a hold lasts by default: an upgrade by replacement takes less than two hours, or it has failed. */
const holdMs = 2 * 60 * 60_000;

/** An order to leave, by an operator now, or by a report with its id and when it was received. */
export type LeaveOrder = {
  readonly mode: 'drain' | 'hold';
  readonly until?: EpochMs | undefined;
  readonly report?: { readonly id: string; readonly receivedAt: EpochMs } | undefined;
};

/** The node leaves on purpose: its absence is planned. */
export function onLeaving(node: Node, order: LeaveOrder, now: EpochMs): Decision<Node> {
  const { mode, until, report } = order;
  // A report from before the join came from a former holder of its key or its name, if from any.
  if (report && report.receivedAt < node.joinedAt) return nothing('the report came before it joined');
  // The bus may deliver a report again long after an operator has decided otherwise.
  if (report && node.word && (report.receivedAt <= node.word.at || report.id === node.word.report))
    return nothing('the report came before the last order about its leaving');
  const refused = whyNot(node, order, now);
  // A refusal is a decision, too: the same report must not take effect when it is delivered again to a node that has
  // changed by then.
  if (refused !== undefined)
    return report ? write<Node, never>({ ...node, word: leaveRecord(node, report.receivedAt, report.id) }, refused) : nothing(refused);
  if (node.status !== 'up' && node.status !== 'suspect' && node.status !== 'leaving') return nothing(`it is ${node.status}`);
  const same = sameLeave(node, mode);
  const deadline = until ?? (mode === 'hold' ? plusMs(now, holdMs) : undefined);
  const leaving = { ...(same ?? { mode, since: now, ...releasedOf(node) }), ...(deadline !== undefined && { until: deadline }) };
  const word = leaveRecord(node, report?.receivedAt ?? now, report?.id);
  const next: Node = { ...lasting(node), word, status: 'leaving', leaseUntil: node.leaseUntil, leaving, awaitsPlan: true };
  return write(next, mode === 'drain' ? 'leaving: its clients move away' : 'leaving: its clients wait for it', {
    events: [concluded('node.departing', next, { mode, ...(deadline !== undefined && { until: deadline }) })],
    wakeAt: now,
  });
}

/** How it is leaving already, if in the same mode. */
const sameLeave = (node: Node, mode: LeaveOrder['mode']) =>
  node.status === 'leaving' && node.leaving.mode === mode ? node.leaving : undefined;

/**
 * The map versions by which slots were taken from it as it left, and up to which it has released them: they hold in
 * either mode.
 */
function releasedOf(node: Node): Pick<NodeIn<'leaving'>['leaving'], 'orderVersion' | 'releasedVersion'> {
  const { orderVersion, releasedVersion } = ('leaving' in node && node.leaving) || {};
  return { ...(orderVersion !== undefined && { orderVersion }), ...(releasedVersion !== undefined && { releasedVersion }) };
}

/** Why an order to leave cannot be carried out now; undefined when it can. */
function whyNot(node: Node, { mode, until }: LeaveOrder, now: EpochMs): string | undefined {
  const same = sameLeave(node, mode);
  if (same && (until === undefined || until === same.until)) return `it is leaving (${mode}) already`;
  if (node.status !== 'up' && node.status !== 'suspect' && node.status !== 'leaving')
    return `a node that is ${node.status} has no clients to ${mode}`;
  if (node.ordered) return 'an operator has already given it up';
  if (node.status === 'suspect' && (node.was === 'joining' || node.was === 'quarantined')) return `it was ${node.was}`;
  const fault = deadlineFault(until, now);
  return fault && `until ${fault}`;
}

/** The record of the last order about a node's leaving; without a report, the last known report is retained. */
export function leaveRecord(node: Node, at: EpochMs, report = node.word?.report): NonNullable<Node['word']> {
  return { at, ...(report !== undefined && { report }) };
}

/** The leaving node has notified its clients; the zone's plan ends the drain. Relevant only while the node leaves. */
export function onReleased(
  node: Node,
  { data: { mapVersion }, receivedAt }: Extract<NodeReport, { type: 'node.released' }>,
  now: EpochMs,
): Decision<Node> {
  if (node.status !== 'leaving') return nothing('it released slots, but it is not leaving');
  const { releasedVersion = -1, orderVersion, since } = node.leaving;
  if (releasedVersion >= mapVersion) return nothing(`released up to map version ${releasedVersion} already`);
  // It was of an earlier time that the node left, or of slots that went elsewhere, and may come again.
  if (orderVersion === undefined && receivedAt < since) return nothing('it released slots before it began to leave');
  const next: Node = { ...node, leaving: { ...node.leaving, releasedVersion: mapVersion }, awaitsPlan: true };
  return write<Node, never>(next, `its clients of map version ${mapVersion} were notified to knock`, { wakeAt: now });
}
