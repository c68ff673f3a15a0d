import { type Decision, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import type { NodeCommand } from './command.ts';
import { concluded, lasting, type Node, type NodeStatus } from './node.ts';

/**
 * A node in one of these has no clients any more, or is away on purpose, or is not to be trusted: another may take its
 * place unasked.
 */
const isOut = (node: Node): boolean =>
  node.status === 'down' ||
  node.status === 'dropped' ||
  node.status === 'quarantined' ||
  (node.status === 'leaving' && node.leaving.mode === 'hold');

/**
 * An operator has a node replaced. It is out from now on, as one that was removed, but not given up: its home is kept
 * until its replacement is ready. One that serves is suspect then, and the zone's plan makes it down or, if the
 * replacement is ready, dropped in the same commit.
 */
export function onReplace(node: Node, { by, force }: Extract<NodeCommand, { type: 'replace' }>, now: EpochMs): Decision<Node> {
  const before = node.replacedBy;
  if (before && node.index === undefined)
    return nothing(before.node === by ? `node ${by} has taken its place already` : `it is replaced already, by node ${before.node}`);
  if (before?.node === by) return nothing(`node ${by} takes its place once it is ready, as was ordered already`);
  if (node.index === undefined) return nothing(`it is ${node.status} and has no place in its zone that another could take`);
  if (!isOut(node) && !before && !force) return nothing(`it is ${node.status}: a node that may serve is replaced only by force`);
  const { nextKey: _never, ...kept } = node;
  const planned = before?.planned ?? !(node.status === 'down' || node.status === 'suspect' || node.status === 'dropped');
  const order = { removedAt: node.removedAt ?? now, replacedBy: { node: by, at: now, planned } };
  const because = `an operator has it replaced: it stays out, and node ${by} takes its place once it is ready`;
  if (kept.status === 'dropped') return write<Node, never>({ ...kept, ...order }, because);
  const next: Node = { ...away(kept), ...order, awaitsPlan: true };
  const suspected = next.status === 'suspect' && node.status !== 'suspect';
  const events = suspected ? [concluded('node.suspected', next, { heardAt: node.heardAt ?? node.joinedAt })] : [];
  return write(next, because, { events, wakeAt: now });
}

/** It is heard no more: what was heard of one that is down does not bring it back, and one that serves is suspect. */
function away(node: Node): Exclude<Node, { status: 'dropped' }> {
  if (node.status === 'down') {
    const { returning: _heard, ...rest } = node;
    return rest;
  }
  if (node.status === 'leaving' && node.leaving.mode === 'hold') return node;
  if (node.status !== 'joining' && node.status !== 'up' && node.status !== 'leaving' && node.status !== 'quarantined')
    return node as Exclude<Node, { status: 'dropped' }>;
  return {
    ...lasting(node),
    status: 'suspect',
    was: node.status,
    leaseUntil: node.leaseUntil,
    ...(node.ordered && { ordered: node.ordered }),
    ...(node.status === 'leaving' && { leaving: node.leaving }),
    ...(node.status === 'quarantined' && { reason: node.reason }),
  };
}

/**
 * What a node may be that takes another's place: on its way, or ready and without client systems of its own, which its
 * zone knows.
 */
const fit: ReadonlySet<NodeStatus> = new Set<NodeStatus>(['absent', 'waiting', 'joining', 'up']);

/** The node takes another's place once it is ready; the zone's plan carries it out. */
export function onTakeOver(node: Node, { from }: Extract<NodeCommand, { type: 'take-over' }>, now: EpochMs): Decision<Node> {
  if (node.replaces === from) return nothing(`it takes the place of node ${from} once it is ready, as was ordered already`);
  if (node.removedAt !== undefined) return nothing('it is removed');
  if (!fit.has(node.status)) return nothing(`it is ${node.status}`);
  if ('ordered' in node && node.ordered) return nothing('an operator gives it up already');
  if (node.replaces !== undefined) return nothing(`it takes the place of node ${node.replaces}`);
  const because = `takes the place of node ${from} once it is ready`;
  return write<Node, never>({ ...node, replaces: from, awaitsPlan: true }, because, { wakeAt: now });
}
