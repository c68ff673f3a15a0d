import type { NodeUp } from '../../events/reported/node.ts';
import { type Decision, nothing, write } from '../core/decision.ts';
import { heardBy, leaseUntilOf } from '../core/lease.ts';
import { type EpochMs, plusMs, unreachable } from '../core/time.ts';
import { underWayMs } from '../core/under-way.ts';
import { concluded, isDriven, lasting, lossDue, type Node, type NodeIn, pending, resumed } from './node.ts';
import { isBeforeVoice, isOldUp, lastUpBy } from './vouched.ts';

/** Facts beside the node's row: whether a majority of its zone's stations is heard, for a node that waits for that. */
export type Surroundings = { readonly isQuorate?: boolean };

/** An agent has started, or was asked to report its start again. */
export function onUp(node: Node, up: NodeUp, now: EpochMs, { isQuorate = false }: Surroundings = {}): Decision<Node> {
  const known = node.boot;
  const overtaken = whatOvertook(node, up, isQuorate);
  if (overtaken !== undefined) return nothing(overtaken);
  // A backlog or a redelivery is no sign of life: a live agent sends node-up again.
  if (leaseUntilOf(up) <= now) return nothing('the node-up is older than the lease it would give');
  if (node.removedAt !== undefined) return nothing('removed by an operator: it must be admitted again first');
  if (node.status === 'waiting' && !isQuorate) return nothing("it waits for a majority of its zone's stations");
  if (node.status === 'dropped') return readmit(node, up, now);
  if (known && known.before === up.data.boot.id) {
    if (isUnderWay(known, up.receivedAt)) return nothing('a node-up of the boot before was still on its way as this boot began');
    const isKnownClone = node.status === 'quarantined' && node.reason !== 'flapping';
    if (isKnownClone || isSecondMachine(node, up.data.boot.id, up.receivedAt)) return quarantine(node, up, now);
  }
  return known?.id === up.data.boot.id ? heardAgain(node, up, now) : newBoot(node, up, now);
}

/**
 * Why a node-up does not describe the present: a later report was received before it, or its sender's count has passed
 * it.
 */
function whatOvertook(node: Node, up: NodeUp, isQuorate: boolean): string | undefined {
  const { boot, heardAt } = node;
  // The first reason, because such a node-up is not recorded: sent again, it may count.
  if (isBeforeVoice(node, up)) return 'node-up received before the source of its liveness changed';
  if (boot && up.receivedAt <= boot.receivedAt) return 'node-up received before the acknowledged boot';
  // The later sender is the one that runs. A machine that still wants to start sends node-up again.
  if (heardAt !== undefined && up.receivedAt < heardAt) return 'node-up received before the node was last heard';
  // A system that vouches may send a report late or again: only a higher number shows another moment, and a sign of
  // life.
  return up.vouched && isOldUp(node, up, isQuorate) ? `node-up ${up.seq} after node-up ${lastUpBy(node, up.vouched.by)}` : undefined;
}

/**
 * Whether a report of the boot before, received at a moment, may have been on its way when the present boot was heard.
 * Two machines with one key send node-up every 2 s each, and are detected once that can no longer be.
 */
const isUnderWay = (boot: { readonly receivedAt: EpochMs }, at: EpochMs): boolean => at <= plusMs(boot.receivedAt, underWayMs);

/**
 * Whether a node-up of this boot, received at a moment, shows that two machines have the node's key: the boot before
 * speaks while the present one is alive. A present boot that was never heard again was overtaken on its way by the boot
 * that followed it; that explanation is accepted only once.
 */
export const isSecondMachine = ({ boot, heardAt }: Node, id: string, at: EpochMs): boolean =>
  boot?.before === id && !isUnderWay(boot, at) && (boot.again === true || (heardAt ?? boot.receivedAt) > boot.receivedAt);

/** A boot not seen before: the incarnation grows; nothing else changes for a node that is already a member. */
function newBoot(node: Exclude<Node, NodeIn<'dropped'>>, up: NodeUp, now: EpochMs): Decision<Node> {
  const base = { ...lasting(node), ...booted(node, up) };
  const { leaseUntil } = base;
  switch (node.status) {
    case 'absent':
    case 'waiting': {
      const next: Node = { ...base, generation: 1, status: 'joining', unready: true, awaitsPlan: true };
      return write(next, 'first node-up acknowledged; it takes over the common content', {
        events: [concluded('node.joined', next, {})],
        wakeAt: now,
      });
    }
    case 'joining':
      return write({ ...base, ...pending(node), status: 'joining' }, 'restarted while joining', { wakeAt: leaseUntil });
    case 'up':
    case 'suspect':
    case 'leaving':
    case 'quarantined':
    case 'down':
      return back(node, base, `incarnation ${base.incarnation} acknowledged`, now);
    default:
      return unreachable(node);
  }
}

/** The acknowledged boot speaks again: a repeat, or a node that was only cut off. */
function heardAgain(node: Exclude<Node, NodeIn<'dropped'>>, up: NodeUp, now: EpochMs): Decision<Node> {
  if (node.status !== 'down' && node.status !== 'suspect') {
    const because = 'this boot is already acknowledged';
    // A system that vouches is notified once more: it may have forgotten, and gets no other answer.
    return up.vouched ? write<Node, never>(node, because, { aside: true }) : nothing(because);
  }
  const boot = { ...node.boot!, receivedAt: up.receivedAt };
  return back(node, { ...lasting(node), boot, ...heardBy(node, up) }, 'heard again, it was only cut off', now);
}

type Base = ReturnType<typeof lasting> & { leaseUntil: EpochMs };
type Member = NodeIn<'up' | 'suspect' | 'leaving' | 'quarantined' | 'down'>;

/**
 * A member is heard. Only the zone's plan brings a node back from down; a hold ends with the node-up it was waiting
 * for.
 */
function back(node: Member, base: Base, because: string, now: EpochMs): Decision<Node> {
  const heard = { ...base, ...pending(node) };
  switch (node.status) {
    case 'down':
      return write<Node, never>(returning(node, base), `${because}; the zone's plan brings it back`, { wakeAt: now });
    case 'suspect': {
      const next = resumed(node, base);
      return write(next, because, { events: [concluded('node.recovered', next, { from: 'suspect' })], wakeAt: now });
    }
    case 'quarantined':
      return write<Node, never>({ ...heard, status: 'quarantined', reason: node.reason }, because, { wakeAt: base.leaseUntil });
    case 'up':
      return write<Node, never>({ ...heard, status: 'up' }, because, { wakeAt: base.leaseUntil });
    case 'leaving': {
      if (node.leaving.mode === 'drain')
        return write<Node, never>({ ...heard, status: 'leaving', leaving: node.leaving }, because, { wakeAt: base.leaseUntil });
      const next: Node = { ...heard, status: 'up', awaitsPlan: true };
      return write(next, `${because}; the hold ends`, { events: [concluded('node.recovered', next, { from: 'leaving' })], wakeAt: now });
    }
    default:
      return unreachable(node);
  }
}

/** A down node that was heard: the plan will bring it back with this lease. */
function returning(node: NodeIn<'down'>, { leaseUntil, ...rest }: Base, reason = node.reason): NodeIn<'down'> {
  const { downAt } = node;
  return { ...rest, ...pending(node), status: 'down', downAt, returning: { leaseUntil }, ...(reason && { reason }), awaitsPlan: true };
}

/**
 * A dropped node comes back only flushed and as new, with generation + 1; if its zone requires that, only once an
 * administrator has allowed it.
 */
function readmit(node: NodeIn<'dropped'>, up: NodeUp, now: EpochMs): Decision<Node> {
  if (up.data.flushed !== node.generation) return nothing(`dropped at generation ${node.generation}: it must flush and join as new`);
  if (node.readmission === 'asked') return nothing('it has asked to come back, and waits for an administrator');
  if (node.readmission === 'awaited') {
    const asking: Node = { ...node, readmission: 'asked' };
    return write(asking, 'flushed and back: it waits for an administrator (muster node admit)', {
      events: [concluded('node.readmission-asked', asking, {})],
      ...lossDue(asking, now),
    });
  }
  const { index: _given, flap: _before, ...rest } = { ...lasting(node), ...booted(node, up) };
  const next: Node = {
    ...rest,
    generation: node.generation + 1,
    status: 'joining',
    unready: true,
    awaitsPlan: true,
  };
  const events = [concluded('node.readmitted', next, {}), concluded('node.joined', next, {})];
  const by = node.readmission === 'given' ? 'by an administrator' : '(readmit: auto)';
  return write<Node, (typeof events)[number]>(next, `flushed and re-admitted as new ${by}`, { events, wakeAt: now });
}

/** Two alternating boots are two machines with one key. */
function quarantine(node: Exclude<Node, NodeIn<'dropped'>>, up: NodeUp, now: EpochMs): Decision<Node> {
  // One that is quarantined for flapping takes clients again by itself; a clone does not.
  if (node.status === 'quarantined' && node.reason !== 'flapping') return heardInQuarantine(node, up);
  if (node.status === 'absent' || node.status === 'waiting') return nothing(`an earlier boot speaks again; it is ${node.status}`);
  if (node.status === 'down' && node.returning && node.reason === 'clone') return nothing('it will be quarantined once it is back');
  const base = { ...lasting(node), ...heardBy(node, up) };
  const next: Node =
    node.status === 'down'
      ? returning(node, base, 'clone')
      : { ...base, ...pending(node), status: 'quarantined', reason: 'clone', awaitsPlan: true };
  // A sender has no key of the machine: it mistakes two machines for one.
  const means = up.vouched ? 'the vouching system mistakes two machines for one' : 'two machines with one key';
  return write(next, `boot ${up.data.boot.id} speaks again after boot ${node.boot?.id}: ${means}`, {
    events: [concluded('node.quarantined', next, { reason: 'clone' })],
    wakeAt: now,
  });
}

/** Whichever of the two speaks, the node is alive: its present clients stay until an operator acts. */
function heardInQuarantine(node: NodeIn<'quarantined'>, up: NodeUp): Decision<Node> {
  const { heardAt, leaseUntil } = heardBy(node, up);
  if (leaseUntil <= node.leaseUntil) return nothing('quarantined; heard since');
  return write<Node, never>({ ...node, heardAt, leaseUntil }, `quarantined (${node.reason}); heard`, { wakeAt: leaseUntil });
}

const booted = (node: Node, up: NodeUp) => {
  // A dropped node flushes and joins as new within one boot: its boot is not preceded by itself.
  const before = node.boot?.id === up.data.boot.id ? node.boot.before : node.boot?.id;
  return {
    incarnation: node.incarnation + 1,
    seq: 0,
    ...heardBy(node, up),
    ...tableOf(node, up),
    boot: {
      ...up.data.boot,
      receivedAt: up.receivedAt,
      ...(before !== undefined && { before }),
      ...(node.boot?.before === up.data.boot.id && { again: true as const }),
    },
  };
};

/**
 * Each boot counts its reports anew, tables among them. Under another kernel, or after a flush, nothing that ran before
 * still runs; `anew` records that until a table of the boot has been taken in.
 */
function tableOf(node: Node, { data }: NodeUp): { readonly table?: NonNullable<Node['table']> } {
  if (!isDriven(node)) return {};
  const { table, boot } = node;
  const { taken: _before, ...known } = table ?? {};
  const isAnew = boot?.kernel !== data.boot.kernel || data.flushed !== undefined;
  return { table: { ...known, ...(isAnew && { anew: true }) } };
}
