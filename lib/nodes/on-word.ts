import type { NodeReport } from '../../events/reported/node.ts';
import { type Decision, nothing, write } from '../core/decision.ts';
import { type EpochMs, plusMs } from '../core/time.ts';
import { deadlineFault } from './deadline.ts';
import { concluded, lasting, type Node, type NodeIn, pending } from './node.ts';

/** The node has what it needs and can take client systems. */
export function onReady(node: Node, _ready: Extract<NodeReport, { type: 'node.ready' }>, now: EpochMs): Decision<Node> {
  if (!node.unready) return nothing('it said so before');
  const { unready: _said, ...said } = node;
  if (node.status !== 'joining') {
    // A quarantine is not over because the node is ready.
    const kept: Node = said.status === 'suspect' && said.was === 'joining' ? { ...said, was: 'up' } : said;
    return write<Node, never>(kept, `ready; it is ${node.status}, and will be up once it is heard`);
  }
  const { unready: _unready, ...rest } = lasting(node);
  const next: Node = { ...rest, ...pending(node), status: 'up', leaseUntil: node.leaseUntil, awaitsPlan: true };
  return write(next, 'ready: it can take client systems', { events: [concluded('node.activated', next, {})], wakeAt: now });
}

/** How long a hold lasts when nobody said: an upgrade by replacement is over in two hours, or it is a disaster. */
const holdMs = 2 * 60 * 60_000;

/** The order to leave, by an operator now, or by a report: which one, and when it was received. */
export type LeaveOrder = {
  readonly mode: 'drain' | 'hold';
  readonly until?: EpochMs | undefined;
  readonly report?: { readonly id: string; readonly receivedAt: EpochMs } | undefined;
};

/** The node goes on purpose: planned is not unplanned. */
export function onLeaving(node: Node, order: LeaveOrder, now: EpochMs): Decision<Node> {
  const { mode, until, report } = order;
  // A word that came before it joined is of whoever had its key or its name by then, or of nobody.
  if (report && report.receivedAt < node.joinedAt) return nothing('said before it joined');
  // The bus may hand a report out again long after an operator has decided otherwise.
  if (report && node.word && (report.receivedAt <= node.word.at || report.id === node.word.report))
    return nothing('said before the last word about its leaving');
  const refused = whyNot(node, order, now);
  // Refused is decided, too: the same report must not come true when it is handed out again to a node that is otherwise
  // by then.
  if (refused !== undefined)
    return report ? write<Node, never>({ ...node, word: wordOf(node, report.receivedAt, report.id) }, refused) : nothing(refused);
  if (node.status !== 'up' && node.status !== 'suspect' && node.status !== 'leaving') return nothing(`it is ${node.status}`);
  const same = sameLeave(node, mode);
  const deadline = until ?? (mode === 'hold' ? plusMs(now, holdMs) : undefined);
  const leaving = { ...(same ?? { mode, since: now, ...releasedOf(node) }), ...(deadline !== undefined && { until: deadline }) };
  const word = wordOf(node, report?.receivedAt ?? now, report?.id);
  const next: Node = { ...lasting(node), word, status: 'leaving', leaseUntil: node.leaseUntil, leaving, awaitsPlan: true };
  return write(next, mode === 'drain' ? 'leaving: its clients move away' : 'leaving: its clients are kept for it', {
    events: [concluded('node.departing', next, { mode, ...(deadline !== undefined && { until: deadline }) })],
    wakeAt: now,
  });
}

/** How it is leaving already, if in the same way. */
const sameLeave = (node: Node, mode: LeaveOrder['mode']) =>
  node.status === 'leaving' && node.leaving.mode === mode ? node.leaving : undefined;

/** Which slots were taken from it as it left, and which of them it has released: that holds however it leaves now. */
function releasedOf(node: Node): Pick<NodeIn<'leaving'>['leaving'], 'orderVersion' | 'releasedVersion'> {
  const { orderVersion, releasedVersion } = ('leaving' in node && node.leaving) || {};
  return { ...(orderVersion !== undefined && { orderVersion }), ...(releasedVersion !== undefined && { releasedVersion }) };
}

/** Why an order to leave cannot be followed now; undefined when it can. */
function whyNot(node: Node, { mode, until }: LeaveOrder, now: EpochMs): string | undefined {
  const same = sameLeave(node, mode);
  if (same && (until === undefined || until === same.until)) return `it is leaving (${mode}) already`;
  if (node.status !== 'up' && node.status !== 'suspect' && node.status !== 'leaving')
    return `a node that is ${node.status} has no clients to ${mode}`;
  if (node.ordered) return 'an operator gives it up already';
  if (node.status === 'suspect' && (node.was === 'joining' || node.was === 'quarantined')) return `it was ${node.was}`;
  const fault = deadlineFault(until, now);
  return fault && `until ${fault}`;
}

/** The last word about a node's leaving once there is another; without a report, that of the one before stays known. */
export function wordOf(node: Node, at: EpochMs, report = node.word?.report): NonNullable<Node['word']> {
  return { at, ...(report !== undefined && { report }) };
}

/** The leaving node has let its clients go; the zone's plan ends the drain. Of interest only while it leaves. */
export function onReleased(node: Node, mapVersion: number, now: EpochMs): Decision<Node> {
  if (node.status !== 'leaving') return nothing('released slots; the node stays');
  if ((node.leaving.releasedVersion ?? -1) >= mapVersion)
    return nothing(`released up to map version ${node.leaving.releasedVersion} already`);
  const next: Node = { ...node, leaving: { ...node.leaving, releasedVersion: mapVersion }, awaitsPlan: true };
  return write<Node, never>(next, `its clients of map version ${mapVersion} were told to knock`, { wakeAt: now });
}
