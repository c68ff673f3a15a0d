import { type Decision, graced, nothing, type Tick, write } from '../core/decision.ts';
import { type EpochMs, plusMs, unreachable } from '../core/time.ts';
import { concluded, dropAfterMs, isDriven, lasting, type Node, type NodeIn, pending, releaseWaitMs } from './node.ts';
import { flapCalm, flapScore, missedAt } from './rows/flap.ts';
import { missedEarlyAt, missesOf, missesText } from './rows/miss.ts';

/** Time has passed. A change that concerns the zone stays due (`wakeAt` now) until the zone's plan has processed it. */
export function onTick(node: Node, tick: Tick, now: EpochMs): Decision<Node> {
  if (node.awaitsPlan) return nothing(`${node.status}; the zone's plan must process it`, now);
  switch (node.status) {
    case 'dropped':
      // Its processes and services are still waiting: the sweep handles them, and then leaves the row alone.
      if (isDriven(node)) return nothing('dropped; its processes and services are lost with it', now);
      return nothing('a node that is dropped has no deadline');
    case 'absent':
    case 'waiting':
      return nothing(`a node that is ${node.status} has no deadline`);
    case 'down':
      return nothing('down; it is given up if it stays away', graced(plusMs(node.downAt, dropAfterMs), tick));
    case 'suspect':
      return nothing("suspect; the zone's guard-rails decide whether it is lost");
    case 'joining':
    case 'up':
    case 'leaving':
    case 'quarantined':
      return onLease(node, tick, now);
    default:
      return unreachable(node);
  }
}

type Leased = NodeIn<'joining' | 'up' | 'leaving' | 'quarantined'>;

function onLease(node: Leased, tick: Tick, now: EpochMs): Decision<Node> {
  // A held node is silent because it is upgraded: its deadline decides, not its lease.
  if (node.status === 'leaving' && node.leaving.mode === 'hold') return nothing('the hold is not over', graced(node.leaving.until!, tick));
  const missed = missedAt(node);
  const expiresAt = graced(missed, tick);
  const early = missedEarlyAt(node);
  // While Muster may have slept, it is Muster that does not hear.
  const earlyAt = early === undefined ? expiresAt : graced(early, tick);
  if (earlyAt <= now && now < expiresAt) return suspect(node, earlyReason(node, now), now);
  if (now < expiresAt) {
    if (node.status === 'quarantined' && node.reason === 'flapping' && isCalm(node, now)) return lift(node, now);
    return nothing(
      expiresAt === missed ? 'its lease holds' : 'grace: Muster may have slept',
      soonest(node, earlyAt < expiresAt ? earlyAt : expiresAt, tick),
    );
  }
  return suspect(node, `not heard for ${silentS(node, now)} s: its lease ran out`, now);
}

const silentS = (node: Node, now: EpochMs): number => Math.round((now - (node.heardAt ?? node.joinedAt)) / 1000);

/** Its clients noticed its silence before its lease ran out (rule 4). */
const earlyReason = (node: Leased, now: EpochMs): string =>
  `not heard for ${silentS(node, now)} s, and ${missesText(missesOf(node))}: suspect before its lease ran out (rule 4)`;

function suspect(node: Leased, because: string, now: EpochMs): Decision<Node> {
  const next: Node = {
    ...lasting(node),
    status: 'suspect',
    was: node.status,
    leaseUntil: node.leaseUntil,
    ...(node.status === 'leaving' && { leaving: node.leaving }),
    ...(node.status === 'quarantined' && { reason: node.reason }),
    ...(node.missed && { missed: node.missed }),
    awaitsPlan: true,
  };
  const heardAt = node.heardAt ?? node.joinedAt;
  return write(next, because, {
    events: [concluded('node.suspected', next, { heardAt })],
    wakeAt: now,
  });
}

const isCalm = ({ flap }: Node, now: EpochMs): boolean => flapScore(flap, now) < flapCalm;

/** It was not lost for long enough: a quarantine for flapping ends by itself. */
function lift(node: NodeIn<'quarantined'>, now: EpochMs): Decision<Node> {
  const next: Node = {
    ...lasting(node),
    ...pending(node),
    status: node.unready ? 'joining' : 'up',
    leaseUntil: node.leaseUntil,
    awaitsPlan: true,
  };
  return write(next, `its flap score is below ${flapCalm}: the quarantine ends (rule 11)`, {
    events: [concluded('node.recovered', next, { from: 'quarantined' })],
    wakeAt: now,
  });
}

/** A draining node also waits for the last turn of its clients elsewhere, or for its release, though not for ever. */
function soonest(node: Leased, leaseUntil: EpochMs, tick: Tick): EpochMs {
  if (node.status !== 'leaving') return leaseUntil;
  const { since, movedAt, turnsUntil } = node.leaving;
  const deadline = turnsUntil ?? graced(plusMs(movedAt ?? since, releaseWaitMs), tick);
  return deadline < leaseUntil ? deadline : leaseUntil;
}
