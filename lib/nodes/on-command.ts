import { type Decision, isSame, nothing, write } from '../core/decision.ts';
import { type EpochMs, unreachable } from '../core/time.ts';
import type { NodeCommand } from './command.ts';
import { concluded, isDriven, lasting, lossDue, type Node } from './node.ts';
import { onNameKey, onTakeKey } from './on-key.ts';
import { onMiss } from './on-miss.ts';
import { onReplace, onTakeOver } from './on-replace.ts';
import { leaveRecord, onLeaving } from './on-word.ts';

/** Decides what an agent's join or an administrator's order means for the node. */
export function onCommand(node: Node | undefined, command: NodeCommand, now: EpochMs): Decision<Node> {
  if (command.type === 'join') return onJoin(node, command, now);
  if (!node) return nothing('there is no such node');
  if (node.replacedBy && (command.type === 'leave' || command.type === 'stay'))
    return nothing(`node ${node.replacedBy.node} takes its place`);
  switch (command.type) {
    case 'leave':
      return onLeaving(node, { mode: command.mode, until: command.until }, now);
    case 'stay':
      return onStay(node, now);
    case 'miss':
      return onMiss(node, command, now);
    case 'drop':
      return onDrop(node, now);
    case 'remove':
      return onRemove(node, now);
    case 'take-back':
      return onTakeBack(node, command, now);
    case 'replace':
      return onReplace(node, command, now);
    case 'take-over':
      return onTakeOver(node, command, now);
    case 'name-key':
      return onNameKey(node, command);
    case 'take-key':
      return onTakeKey(node, command);
    case 'pace':
      return onPace(node, command, now);
    case 'edit':
      return onEdit(node, command, now);
    default:
      return unreachable(command);
  }
}

function onJoin(node: Node | undefined, join: Extract<NodeCommand, { type: 'join' }>, now: EpochMs): Decision<Node> {
  if (node) return nothing('this key has joined already');
  const { node: id, publicKey, fqdn, kind, zone, watch, capacity, replaces, waits, services } = join;
  const next: Node = {
    id,
    publicKey,
    fqdn,
    kind,
    zone,
    watch,
    status: waits ? 'waiting' : 'absent',
    weight: 1,
    labels: {},
    joinedAt: now,
    incarnation: 0,
    generation: 0,
    seq: 0,
    ...(capacity !== undefined && { capacity }),
    ...(replaces !== undefined && { replaces }),
    ...(services && { services: true as const }),
  };
  return write<Node, never>(next, `${fqdn} joined; its node-up is awaited`);
}

/** Leaving can be cancelled, and a quarantine lifted. */
function onStay(node: Node, now: EpochMs): Decision<Node> {
  if (node.status !== 'leaving' && node.status !== 'quarantined') return nothing(`it is ${node.status}, not leaving and not quarantined`);
  if (node.ordered) return nothing('an operator has already given it up');
  const status = node.unready ? 'joining' : 'up';
  const base = { ...withoutFlaps(node), ...survivor(node), word: leaveRecord(node, now) };
  const next: Node = { ...base, status, leaseUntil: node.leaseUntil, awaitsPlan: true };
  return write(next, 'an operator ordered it to stay', { events: [concluded('node.recovered', next, { from: node.status })], wakeAt: now });
}

/**
 * An operator's end of a quarantine for flapping resets the score: otherwise the next loss would bring the quarantine
 * back.
 */
function withoutFlaps(node: Node): ReturnType<typeof lasting> {
  const { flap, ...rest } = lasting(node);
  return flap && !(node.status === 'quarantined' && node.reason === 'flapping') ? { ...rest, flap } : rest;
}

/**
 * After a clone one of the two boots is left, whichever that is: its next node-up is a new boot, not the clone again.
 */
function survivor({ boot }: Node): { boot?: NonNullable<Node['boot']> } {
  if (!boot) return {};
  const { before: _gone, again: _turn, ...rest } = boot;
  return { boot: rest };
}

/**
 * An operator gives the node up. The zone's plan carries that out, because the node's clients must move in the same
 * commit. A node that never was a member has no clients: its row is deleted, or a name joined by mistake would stay
 * taken for ever.
 */
function onDrop(node: Node, now: EpochMs): Decision<Node> {
  if (node.status === 'dropped') return nothing('it is dropped already');
  if (node.status === 'absent' || node.status === 'waiting')
    return { does: 'remove', last: node, events: [], because: `given up while ${node.status}: it was never a member, its name is free` };
  return write<Node, never>({ ...node, ordered: 'drop', awaitsPlan: true }, 'an operator gives it up', { wakeAt: now });
}

/**
 * Gives a node up as {@link onDrop} does, and for good: from then on every call of its agent is answered `removed`. Its
 * next key is discarded.
 */
function onRemove(node: Node, now: EpochMs): Decision<Node> {
  if (node.removedAt !== undefined) return nothing('it is removed already');
  if (node.status === 'absent' || node.status === 'waiting') return onDrop(node, now);
  const because = 'an operator removes it: it stays out until it is admitted again';
  const { nextKey: _never, ...next } = node;
  if (next.status === 'dropped') return write<Node, never>({ ...next, removedAt: now }, because, lossDue(next, now));
  return write<Node, never>({ ...next, removedAt: now, ordered: 'drop', awaitsPlan: true }, because, { wakeAt: now });
}

/**
 * Lets a removed node, or one that waits for readmission, join as new, like any node that was given up. Earlier reports
 * of its leaving no longer count: the node was out then.
 */
function onTakeBack(node: Node, { watch = node.watch }: Extract<NodeCommand, { type: 'take-back' }>, now: EpochMs): Decision<Node> {
  const { removedAt, replacedBy, ...restored } = { ...node, watch };
  const waits = restored.status === 'dropped' && restored.readmission !== undefined && restored.readmission !== 'given';
  const next: Node = waits ? { ...restored, readmission: 'given' } : restored;
  if (removedAt === undefined && !waits) return nothing(`it was never removed; it is ${node.status}`);
  // Its home is reserved for another node by then: it comes back as new, or not at all.
  if (replacedBy && node.status !== 'dropped') return nothing(`node ${replacedBy.node} takes its place: give it up with node drop first`);
  return write<Node, never>({ ...next, word: leaveRecord(node, now) }, 'admitted again; it must flush and send node-up', {
    ...(next.status === 'dropped' && lossDue(next, now)),
  });
}

/**
 * The zone's plan must process it: clients that wait for the node go on at the new rate. A row of its own has the rate,
 * because this one must stay so small that a heartbeat is one unit.
 */
function onPace(node: Node, { because }: Extract<NodeCommand, { type: 'pace' }>, now: EpochMs): Decision<Node> {
  if (node.status === 'dropped') return nothing('it was given up, and admits nobody');
  return write<Node, never>({ ...node, awaitsPlan: true }, because, { aside: true, wakeAt: now });
}

/** Why an edit changes nothing: the node is as it is to be. */
export const alreadySo = 'it is so already';

function onEdit(
  node: Node,
  { weight, capacity, admitEveryMs, labels, page, vouched }: Extract<NodeCommand, { type: 'edit' }>,
  now: EpochMs,
): Decision<Node> {
  const { capacity: capacityBefore, admitEveryMs: asBefore, page: pageBefore, vouched: _before, ...rest } = node;
  if (vouched && isDriven(node)) return nothing('Muster runs processes or services there, and only its own agent can report them');
  const changesVoice = vouched !== undefined && vouched !== (node.vouched ?? false);
  // The zone's plan ignores a node that was given up: its weight counts once it is back.
  const isOut = node.status === 'dropped';
  const limit = setTo(capacity, capacityBefore);
  const every = setTo(admitEveryMs, asBefore);
  const template = setTo(page, pageBefore);
  const edited: Node = {
    ...(changesVoice ? unheard(rest as Node, now) : rest),
    ...(limit !== undefined && { capacity: limit }),
    ...(every !== undefined && { admitEveryMs: every }),
    ...(template !== undefined && { page: template }),
    ...((vouched ?? node.vouched) && { vouched: true as const }),
    weight: weight ?? node.weight,
    labels: (labels as Node['labels'] | undefined) ?? node.labels,
  };
  if (isSame(edited, node)) return nothing(alreadySo);
  const next: Node = { ...edited, ...(!isOut && { awaitsPlan: true }) };
  return write<Node, never>(next, changesVoice ? voiceReason(vouched) : 'edited by an operator', {
    aside: true,
    ...(!isOut && { wakeAt: now }),
  });
}

/** A setting after a command; null resets it to the default, which is absent. */
const setTo = <T>(given: T | null | undefined, before: T | undefined): T | undefined =>
  given === undefined ? before : (given ?? undefined);

const voiceReason = (vouched: boolean): string =>
  vouched
    ? 'an administrator has another system vouch for it, which must send a node-up'
    : 'an administrator ended the vouching of another system; its agent must send a node-up';

/**
 * Changes the source of the node's liveness. The new source begins with a node-up, as a boot of its own: reports of the
 * incarnation before, and their heartbeat numbers, belong to the former source. The boot is forgotten, so that the new
 * source does not count as a second machine.
 */
function unheard(node: Node, now: EpochMs): Node {
  const { boot, ...rest } = node;
  const incarnation = boot ? node.incarnation + 1 : node.incarnation;
  return { ...rest, incarnation, seq: 0, voice: { ups: [], ...node.voice, since: now } };
}
