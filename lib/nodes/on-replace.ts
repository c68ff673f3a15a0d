import { type Decision, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import type { NodeCommand } from './command.ts';
import { concluded, lasting, lossDue, type Node, type NodeStatus } from './node.ts';

/**
 * Whether a node no longer has clients, is away on purpose, or cannot be trusted: another node may then take its place
 * without force.
 */
const isOut = (node: Node): boolean =>
  node.status === 'down' ||
  node.status === 'dropped' ||
  node.status === 'quarantined' ||
  (node.status === 'leaving' && node.leaving.mode === 'hold');

/**
 * An operator has a node replaced. It is out from now on, like a removed node, but not given up: its home is reserved
 * until its replacement is ready. A node that serves becomes suspect, and the zone's plan makes it down or, if the
 * replacement is ready, dropped in the same commit.
 */
export function onReplace(node: Node, { by, force }: Extract<NodeCommand, { type: 'replace' }>, now: EpochMs): Decision<Node> {
  const before = node.replacedBy;
  if (before && node.index === undefined)
    return nothing(before.node === by ? `node ${by} has taken its place already` : `it is replaced already, by node ${before.node}`);
  if (before?.node === by) return nothing(`node ${by} already has the order to take its place once it is ready`);
  if (node.index === undefined) return nothing(`it is ${node.status} and has no place in its zone that another could take`);
  if (!isOut(node) && !before && !force) return nothing(`it is ${node.status}: replacing a node that may serve requires force`);
  const { nextKey: _never, ...rest } = node;
  const planned = before?.planned ?? !(node.status === 'down' || node.status === 'suspect' || node.status === 'dropped');
  const order = { removedAt: node.removedAt ?? now, replacedBy: { node: by, at: now, planned } };
  const because = `an operator replaces it: it stays out, and node ${by} takes its place once that is ready`;
  if (rest.status === 'dropped') return write<Node, never>({ ...rest, ...order }, because, lossDue(rest, now));
  const next: Node = { ...away(rest), ...order, awaitsPlan: true };
  const suspected = next.status === 'suspect' && node.status !== 'suspect';
  const events = suspected ? [concluded('node.suspected', next, { heardAt: node.heardAt ?? node.joinedAt })] : [];
  return write(next, because, { events, wakeAt: now });
}

/**
 * The node is no longer heard: reports of a node that is down do not bring it back, and a node that serves becomes
 * suspect.
 */
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
 * The statuses of a node that may take another's place: it is on its way, or it is ready and without client systems of
 * its own, which its zone knows.
 */
const fit: ReadonlySet<NodeStatus> = new Set<NodeStatus>(['absent', 'waiting', 'joining', 'up']);

/** The node takes another's place once it is ready; the zone's plan carries it out. */
export function onTakeOver(node: Node, { from }: Extract<NodeCommand, { type: 'take-over' }>, now: EpochMs): Decision<Node> {
  if (node.replaces === from) return nothing(`it already has the order to take the place of node ${from} once it is ready`);
  if (node.removedAt !== undefined) return nothing('it is removed');
  if (!fit.has(node.status)) return nothing(`it is ${node.status}`);
  if ('ordered' in node && node.ordered) return nothing('an operator has already given it up');
  if (node.replaces !== undefined) return nothing(`it takes the place of node ${node.replaces}`);
  const because = `takes the place of node ${from} once it is ready`;
  return write<Node, never>({ ...node, replaces: from, awaitsPlan: true }, because, { wakeAt: now });
}
