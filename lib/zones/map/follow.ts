import { type Concluded, type Decision, type Grace, graced, nothing, write } from '../../core/decision.ts';
import { type EpochMs, earlier, plusMs } from '../../core/time.ts';
import { concluded, dropAfterMs, lasting, lossDue, type Node, type NodeIn, releaseWaitMs } from '../../nodes/node.ts';
import { flapMax, flappedAgain, quarantineEnds } from '../../nodes/rows/flap.ts';
import { missesOf, missesText } from '../../nodes/rows/miss.ts';
import { expiryFrozen, type Guardrails, movesFrozen } from '../guardrails/guardrails.ts';
import type { ZoneHead } from '../zone.ts';
import type { Standing } from './rows/standing.ts';

/**
 * The zone's conclusion about one node: its standing from now on, and the change of the node's own row. `why`: what the
 * node is from now on, in words for people that follow its name and `is`.
 */
export type ResolvedStanding = { readonly standing: Standing; readonly node: Decision<Node>; readonly why: string };

/**
 * `before`: its standing in the roster. `because`: the reason in the node's row, which stays when only the roster
 * changes. No deadline ends before `graceUntil`. `held`: why the guard-rails do not let it be given up; `brakes`: what
 * an operator has frozen.
 */
type Context = Grace & {
  readonly before: Standing;
  readonly ownedSlots: number;
  /** Until when, at the longest, clients of slots that it gave away wait for their turn elsewhere. */
  readonly awaitedUntil?: EpochMs | undefined;
  readonly now: EpochMs;
  readonly because: string;
  readonly held?: string | undefined;
  readonly brakes: Guardrails;
  /** How long it may be down before it is given up, in ms; 30 min by default, and infinite for as long as it takes. */
  readonly dropAfterMs?: number;
  /** How it rejoins once it is given up; by default by itself, once it has flushed. */
  readonly readmit?: ZoneHead['readmit'];
};

/** The standing of a node, from its own row. Only here does a node become down, dropped, or up again from down. */
export function resolveStanding(node: Node, context: Context): ResolvedStanding {
  const resolved = resolveByStatus(node, context);
  const { node: decision } = resolved;
  const isDropped = node.status !== 'dropped' && decision.does === 'write' && decision.next.status === 'dropped';
  if (!isDropped || context.readmit !== 'admin') return resolved;
  return { ...resolved, node: { ...decision, next: { ...decision.next, readmission: 'awaited' } as NodeIn<'dropped'> } };
}

function resolveByStatus(node: Node, context: Context): ResolvedStanding {
  const { now, because } = context;
  switch (node.status) {
    case 'absent':
    case 'waiting':
    case 'dropped':
      return {
        // A node whose place another has taken has no place.
        standing: node.status === 'dropped' && node.index !== undefined ? 'dropped' : 'none',
        node: settled(node, because),
        why: node.status,
      };
    case 'joining':
      return node.ordered ? drop(node, false, 'an operator gave it up', now) : keepStanding('joining', node, because);
    case 'up':
      return node.ordered ? drop(node, false, 'an operator gave it up', now) : keepStanding('up', node, because);
    case 'quarantined':
      return node.ordered ? drop(node, false, 'an operator gave it up', now) : keepStanding('quarantined', node, because);
    case 'suspect':
      return onSuspect(node, context);
    case 'down':
      return onDown(node, context);
    case 'leaving':
      return onLeaving(node, context);
  }
}

/**
 * A node whose lease ran out is down, unless the guard-rails hold it. A held node stays suspect, retains its clients
 * and gets no new ones.
 */
function onSuspect(node: NodeIn<'suspect'>, { ownedSlots, now, held }: Context): ResolvedStanding {
  if (node.ordered) return drop(node, false, 'an operator gave it up', now);
  if (node.leaving?.mode === 'drain' && ownedSlots === 0) return drop(node, true, 'drained, then silent', now);
  if (node.replacedBy) return lose(node, 'an operator ordered its replacement', now);
  if (held !== undefined) return { standing: 'suspect', node: settled(node, held), why: held };
  const misses = missesOf(node);
  return lose(node, `not heard since ${when(node)}${misses.length > 0 ? `; ${missesText(misses)}` : ''}`, now);
}

function onDown(node: NodeIn<'down'>, context: Context): ResolvedStanding {
  const { now, because } = context;
  if (node.ordered) return drop(node, false, 'an operator gave it up', now);
  if (node.returning && node.returning.leaseUntil > now) return comeBack(node, node.returning.leaseUntil, now);
  const { dropAfterMs: dropMs = dropAfterMs } = context;
  // A node that is never given up is checked again now and then, because the mode of the zone may change.
  const dropAt = graced(Number.isFinite(dropMs) ? plusMs(node.downAt, dropMs) : plusMs(now, dropAfterMs), context);
  if (now >= dropAt && !expiryFrozen(context)) return drop(node, false, `down for ${dropMs / 60_000} min`, now);
  return { standing: 'down', node: stayDown(node, because, dropAt), why: 'down' };
}

/**
 * A node that comes back with its home intact. One that is lost and comes back time and again gets no new clients until
 * that is over (rule 11).
 */
function comeBack(node: NodeIn<'down'>, leaseUntil: EpochMs, now: EpochMs): ResolvedStanding {
  const flap = flappedAgain(node.flap, now);
  const base = { ...lasting(node), flap, leaseUntil };
  const reason = node.reason ?? (flap.score > flapMax ? 'flapping' : undefined);
  const next: NodeIn<'quarantined' | 'joining' | 'up'> = reason
    ? { ...base, status: 'quarantined', reason }
    : { ...base, status: node.unready ? 'joining' : 'up' };
  if (next.status === 'up' && next.replaces !== undefined) return heirBack(next, now);
  const isNew = reason === 'flapping' && node.reason === undefined;
  const why = 'heard again while down: its home is intact';
  const decision = write(next, isNew ? `${why}; flap score ${flap.score}: quarantined until ${quarantineEnds({ reason, flap })}` : why, {
    events: [
      concluded('node.recovered', next, { from: 'down' }),
      ...(isNew ? [concluded('node.quarantined', next, { reason: 'flapping' })] : []),
    ],
    wakeAt: leaseUntil,
  });
  return { standing: next.status, node: decision, why: 'back' };
}

/**
 * A node that is to take another's place is up again, and joins until it has that: the plan hands it over next. Until
 * then it gets no slots, which would be its own.
 */
function heirBack(node: NodeIn<'up'>, now: EpochMs): ResolvedStanding {
  const why = 'heard again while down: it takes the place of another next';
  const next: NodeIn<'up'> = { ...node, awaitsPlan: true };
  const decision = write(next, why, { events: [concluded('node.recovered', next, { from: 'down' })], wakeAt: now });
  return { standing: 'joining', node: decision, why: 'back' };
}

/** A node that was heard too long ago is not back: bringing it back would give it client systems for nothing. */
function stayDown({ returning, ...node }: NodeIn<'down'>, because: string, dropAt: EpochMs): Decision<Node> {
  if (!returning) return settled(node, because, dropAt);
  const { awaitsPlan: _followed, ...next } = node;
  return write<Node, never>(next, 'heard while down, then silent again: it stays down', { wakeAt: dropAt });
}

function onLeaving(node: NodeIn<'leaving'>, context: Context): ResolvedStanding {
  const { before, ownedSlots, now, because, held } = context;
  if (node.ordered) return drop(node, false, 'an operator gave it up', now);
  const { mode, until, since, movedAt, orderVersion, releasedVersion } = node.leaving;
  if (mode === 'hold') {
    const deadline = graced(until!, context);
    if (deadline > now) return keepStanding('held', node, because, deadline);
    return held === undefined ? lose(node, 'the hold ran out before it came back', now) : keepStanding('held', node, held);
  }
  // Clients stay on the node until their turn: the node goes after the last.
  if (ownedSlots === 0 && context.awaitedUntil !== undefined) return drains(node, because, context.awaitedUntil, context.awaitedUntil);
  const waitsUntil = graced(plusMs(movedAt ?? since, releaseWaitMs), context);
  const isReleased = orderVersion === undefined || (releasedVersion ?? -1) >= orderVersion;
  // A node that was kept, or came back from a hold, and drains again before any plan saw it up. Its row has lost the
  // order of the earlier drain.
  const hasForgotten = orderVersion === undefined && releasedVersion === undefined && (before === 'draining' || before === 'held');
  if (ownedSlots === 0 && isReleased && !hasForgotten) return drop(node, true, 'drained', now);
  if (now >= waitsUntil && (ownedSlots === 0 || !movesFrozen(context)))
    return drop(node, true, ownedSlots === 0 ? 'drained; its release was never confirmed' : 'its clients fit nowhere else', now);
  return drains(node, because, waitsUntil);
}

/**
 * The node continues to drain, until `deadline` at the longest, and its row stores until when there are turns to wait
 * for.
 */
function drains(node: NodeIn<'leaving'>, because: string, deadline: EpochMs, turnsUntil?: EpochMs): ResolvedStanding {
  const resolved = keepStanding('draining', node, because, deadline);
  const { turnsUntil: before, ...leaving } = node.leaving;
  if (before === turnsUntil) return resolved;
  const { awaitsPlan: _followed, ...rest } = node;
  const next = { ...rest, leaving: { ...leaving, ...(turnsUntil !== undefined && { turnsUntil }) } };
  return { ...resolved, node: write<Node, never>(next, because, { wakeAt: earlier(deadline, node.leaseUntil) }) };
}

/** The node keeps this standing. Its row no longer awaits the plan, and is next due when the lease or deadline ends. */
function keepStanding(
  standing: Standing,
  node: NodeIn<'joining' | 'up' | 'quarantined' | 'leaving'>,
  because: string,
  deadline?: EpochMs,
): ResolvedStanding {
  return { standing, node: settled(node, because, earlier(deadline, node.leaseUntil)), why: standing };
}

const settled = (node: Node, because: string, wakeAt?: EpochMs): Decision<Node> => {
  if (!node.awaitsPlan) return nothing('the roster already shows its standing', wakeAt);
  const { awaitsPlan: _followed, ...next } = node;
  return write<Node, never>(next, because, { wakeAt });
};

function lose(node: NodeIn<'suspect' | 'leaving'>, why: string, now: EpochMs): ResolvedStanding {
  const reason = node.status === 'suspect' ? node.reason : undefined;
  const next: Node = { ...lasting(node), status: 'down', downAt: now, ...(reason && { reason }) };
  const events: Concluded[] = [concluded('node.lost', next, { heardAt: node.heardAt ?? node.joinedAt })];
  return { standing: 'down', node: write(next, why, { events, wakeAt: plusMs(now, dropAfterMs) }), why: `down: ${why}` };
}

function drop(node: Node, planned: boolean, why: string, now: EpochMs): ResolvedStanding {
  const next: Node = { ...lasting(node), status: 'dropped', droppedAt: now, planned };
  return {
    standing: 'dropped',
    node: write(next, why, {
      events: [concluded('node.dropped', next, { planned })],
      ...lossDue(node, now),
    }),
    why: `dropped: ${why}`,
  };
}

const when = (node: Node): string => new Date(node.heardAt ?? node.joinedAt).toISOString();
