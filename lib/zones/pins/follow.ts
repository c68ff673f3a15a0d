import { type PlannedChange, write } from '../../core/decision.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { clientsMaxOf } from '../capacity/crowding.ts';
import { movesFrozen } from '../guardrails/guardrails.ts';
import type { Move } from '../map/board.ts';
import { rosterSize, standingAt } from '../map/rows/roster.ts';
import { nobody } from '../map/rows/slots.ts';
import { admits, serves, standings } from '../map/rows/standing.ts';
import type { StandingDecision, ZoneSnapshot } from '../map/snapshot.ts';
import type { Retention } from '../rows/kept.ts';
import { isRenewed } from '../turns/admit.ts';
import { changesRates, ratesAfter } from '../turns/rates.ts';
import { type AdmissionSchedule, endOf } from '../turns/turn.ts';
import {
  elsewhereEnds,
  goesAway,
  hadBy,
  loadPins,
  nowOf,
  type PinnedNode,
  type Pins,
  type PinsByNode,
  pinsRef,
  queueEndOf,
  togetherMs,
  uncounted,
} from './pins.ts';
import { type PinRates, repaced } from './repaced.ts';

/** The pins of a plan before slots are placed: which nodes are away, and what that means for the load. */
export type PinsNow = {
  readonly nodes: readonly PinnedNode[];
  /** How many client systems a node, by index, has by pins. */
  readonly load: (index: number) => number;
  /** Client systems by slot, including those of nodes that went away since the count. */
  readonly counts: ArrayLike<number>;
  /**
   * How many serving nodes are notified that their soft ones go, and whether one plan cannot notify all that must be.
   */
  readonly notified: number;
  readonly isCut: boolean;
};

/** What the plan has decided before, and how many serving nodes it may notify that their soft ones go. */
type Before = { readonly round: readonly StandingDecision[]; readonly retained: readonly Retention[]; readonly letGoMax: number };

/**
 * Decides whose soft ones go by their slots from now on, because the node is gone for longer than clients are retained
 * for it, or drains; and whose soft ones go back. Where the zone has no room for all of them (rule 15) they wait for
 * their node until a plan finds room. Nothing moves while an operator has frozen moves.
 */
export function pinsNow(snapshot: ZoneSnapshot, { round, retained, letGoMax }: Before, now: EpochMs): PinsNow {
  const { zone, counts, pins, countedAt = 0 } = snapshot;
  if (!pins || pins.body.nodes.length === 0) return { nodes: [], load: () => 0, counts, notified: 0, isCut: false };
  const codeOf = codesAfter(snapshot, round);
  const keeps = new Set(retained.map(({ index }) => index));
  const mustGo = (index: number): boolean => goesAway(codeOf(index), keeps.has(index));
  const isFrozen = movesFrozen(zone.head);
  let room = isFrozen ? 0 : roomIn(snapshot, round, codeOf);
  let [notified, isCut] = [0, false];
  const nodes = pins.body.nodes.map(withNode(snapshot, round)).map((one): PinnedNode => {
    const { awayAt, backAt, ...rest } = one;
    // A node gets back the ones it has let go as soon as it serves, even while clients are retained for it.
    const isAway = awayAt === undefined ? mustGo(nowOf(one)) : goesAway(codeOf(nowOf(one)), false);
    // With no soft pins nothing moves, and the next soft pin stays where the node is.
    if ((isFrozen && one.soft > 0) || isAway === (awayAt !== undefined)) return one;
    if (awayAt !== undefined) return awayAt > countedAt ? { ...rest, ...(backAt !== undefined && { backAt }) } : { ...rest, backAt: now };
    if (one.soft > room) return one;
    const mustNotify = one.soft > 0 && serves(codeOf(nowOf(one)));
    if (mustNotify && notified === letGoMax) {
      isCut = true;
      return one;
    }
    if (mustNotify) notified++;
    room -= one.soft;
    return { ...one, awayAt: now };
  });
  return { nodes, load: loadOf(nodes), counts: withUncounted(snapshot, nodes), notified, isCut };
}

/** The nodes, by their present index, whose softly pinned client systems go by their slots from this plan on. */
export const letGoIn = ({ pins }: ZoneSnapshot, { nodes }: PinsNow): number[] =>
  nodes.flatMap((one, n) => (one.soft > 0 && one.awayAt !== undefined && pins!.body.nodes[n]!.awayAt === undefined ? [nowOf(one)] : []));

/** A node that was given up and has joined anew has another index: its pinned client systems go with it. */
const withNode =
  ({ zone }: ZoneSnapshot, round: readonly StandingDecision[]) =>
  (one: PinnedNode): PinnedNode => {
    const id = zone.members[one.index]?.node;
    const again =
      id === undefined ? undefined : round.find(({ index, read }) => read.body.id === id && index !== nobody && index !== one.index);
    return again === undefined || again.index === one.to ? one : { ...one, to: again.index };
  };

const loadOf = (nodes: readonly PinnedNode[]): ((index: number) => number) => {
  const byIndex = new Map<number, number>();
  for (const one of nodes) byIndex.set(nowOf(one), (byIndex.get(nowOf(one)) ?? 0) + hadBy(one));
  return (index) => byIndex.get(index) ?? 0;
};

/** The standing code of a node, by index, once the plan is carried out. */
function codesAfter({ zone }: ZoneSnapshot, round: readonly StandingDecision[]): (index: number) => number {
  const standingByIndex = new Map(round.map(({ index, standing }) => [index, standings[standing]]));
  return (index) => standingByIndex.get(index) ?? standingAt(zone.head.roster, index);
}

/** How many more client systems the admitting nodes take; infinite where one of them declares no capacity. */
function roomIn({ zone, counts, pins }: ZoneSnapshot, round: readonly StandingDecision[], codeOf: (index: number) => number): number {
  const mostOf = clientsMaxOf(zone.members, round);
  let most = 0;
  for (let index = 0; index < rosterSize(zone.head.roster); index++) if (admits(codeOf(index))) most += mostOf(index);
  let clients = 0;
  for (let slot = 0; slot < counts.length; slot++) clients += counts[slot]!;
  const pinned = loadOf(pins!.body.nodes);
  for (const index of new Set(pins!.body.nodes.map(nowOf))) if (admits(codeOf(index))) clients += pinned(index);
  return Math.max(0, most - clients);
}

/** What is left of a count at least: no slot with clients passes for an empty one, which would need no budget. */
const leastLeft = 1e-9;

/**
 * Client systems of a node that went away since the count are spread over the slots, as fingerprints are. For a node
 * that came back, as many are subtracted.
 */
function withUncounted({ counts, countedAt = 0 as EpochMs }: ZoneSnapshot, nodes: readonly PinnedNode[]): ArrayLike<number> {
  const more = uncounted(nodes, countedAt);
  if (more >= 0) return more === 0 ? counts : Float64Array.from(counts, (clients) => clients + more / counts.length);
  let counted = 0;
  for (let slot = 0; slot < counts.length; slot++) counted += counts[slot]!;
  const left = Math.max(leastLeft, 1 + more / Math.max(1, counted));
  return Float64Array.from(counts, (clients) => clients * left);
}

/** What else a plan has decided by the time that the queues are known. */
type Done = { readonly round: readonly StandingDecision[]; readonly turns: AdmissionSchedule; readonly moves: readonly Move[] };

/** The row of pins once a plan is carried out; nothing when it stays as it is. */
export function pinChanges(snapshot: ZoneSnapshot, { nodes }: PinsNow, done: Done, now: EpochMs): PlannedChange[] {
  const { pins, zone } = snapshot;
  if (!pins) return [];
  const queues = nodes.map((one, n) => queued(snapshot, { before: pins.body.nodes[n]!, one, nodes }, done, now));
  const next = changesRates(snapshot, done.round) ? repaced(queues, pinRates(snapshot, done, now), now) : queues;
  if (next.every((one, n) => one === pins.body.nodes[n])) return [];
  const body: Pins = { version: pins.body.version + 1, nodes: [...next] };
  return [{ ref: pinsRef(zone.head.name), readRev: pins.rev, decision: write<Pins, never>(body, 'nodes with pinned clients changed') }];
}

/** The rates at which pinned client systems are admitted once a plan is carried out. */
function pinRates(snapshot: ZoneSnapshot, { round, turns, moves }: Done, now: EpochMs): PinRates {
  const rates = ratesAfter(snapshot, round);
  return {
    everyMsOf: (index) => rates(index).everyMs,
    elsewhereMs: elsewhereMs(snapshot, round),
    slotsEndAt: (index) => laterOf(now, ...slotEnds(snapshot, turns, moves, index)),
    slotsEnd: laterOf(now, ...[...turns.of.values()].map(endOf)),
  };
}

/** The pins in memory once their row is changed like this. */
export const pinsAfter = ({ zone }: ZoneSnapshot, [change]: readonly PlannedChange[]): PinsByNode =>
  change?.decision.does === 'write' ? loadPins(change.decision.next as Pins) : zone.pins;

type Pinning = { readonly before: PinnedNode; readonly one: PinnedNode; readonly nodes: readonly PinnedNode[] };

/**
 * The pins of a node with the queue of those that must be admitted now. When the node went away, they queue elsewhere,
 * behind all that wait there. When it is back, or another has taken its place, they queue at the node itself. A queue
 * whose node was down is postponed by the time it was down.
 */
function queued(snapshot: ZoneSnapshot, { before, one, nodes }: Pinning, { round, turns, moves }: Done, now: EpochMs): PinnedNode {
  const decision = round.find(({ index }) => index === nowOf(one));
  const { queue, ...rest } = one;
  if (one.awayAt !== undefined) {
    if (before.awayAt !== undefined) return one;
    return withQueue(
      rest,
      one.soft,
      elsewhereMs(snapshot, round),
      laterOf(now, ...[...turns.of.values()].map(endOf), ...elsewhereEnds(nodes)),
    );
  }
  if (before.awayAt !== undefined || (decision && isRenewed(snapshot.zone.head.roster, decision))) {
    const ends = slotEnds(snapshot, turns, moves, nowOf(one));
    return withQueue(rest, one.hard + one.soft, ratesAfter(snapshot, round)(nowOf(one)).everyMs, laterOf(now, ...ends));
  }
  const wasDown = decision?.standing === 'up' && decision.read.body.status === 'down' ? now - decision.read.body.downAt : 0;
  return queue && wasDown > 0 ? { ...rest, queue: { ...queue, at: plusMs(queue.at, wasDown) } } : one;
}

const withQueue = (one: PinnedNode, clients: number, everyMs: number, at: EpochMs): PinnedNode =>
  clients === 0 || everyMs === 0 ? one : { ...one, queue: { at, clients, everyMs } };

const laterOf = (now: EpochMs, ...others: readonly EpochMs[]): EpochMs => others.reduce((last, at) => (at > last ? at : last), now);

/** Until when a node, by index, admits the clients that wait for its slots. */
function slotEnds({ zone }: ZoneSnapshot, { slots, of }: AdmissionSchedule, moves: readonly Move[], index: number): EpochMs[] {
  const owners = new Map(moves.map(({ slot, owner }) => [slot, owner]));
  const { owner } = zone.map;
  return [...of].flatMap(([slot, turn]) => {
    const at = (slot * owner.length) / slots;
    return (owners.get(at) ?? owner[at]) === index ? [endOf(turn)] : [];
  });
}

/** How often the nodes of a zone together admit a client system, in ms: as if each were as slow as the slowest. */
function elsewhereMs(snapshot: ZoneSnapshot, round: readonly StandingDecision[]): number {
  const codeOf = codesAfter(snapshot, round);
  const takers = Array.from({ length: rosterSize(snapshot.zone.head.roster) }, (_, index) => index).filter((index) =>
    admits(codeOf(index)),
  );
  const rates = ratesAfter(snapshot, round);
  return togetherMs(takers.map((index) => rates(index).everyMs));
}

/**
 * Until when those that leave a node, by index, wait for their turns elsewhere: soft ones and unpinned ones; undefined
 * when none waits. A node that begins to drain waits for at least one plan.
 */
export function pinsAwaitedUntil({ zone, pins }: ZoneSnapshot, index: number, now: EpochMs): EpochMs | undefined {
  const nodes = pins?.body.nodes ?? [];
  const left = nodes.find((node) => node.index === index)?.left;
  const soft = nodes.find((node) => nowOf(node) === index && node.soft > 0);
  if (soft && soft.awayAt === undefined && standingAt(zone.head.roster, index) !== standings.draining) return now;
  const ends = [left, soft?.awayAt === undefined ? undefined : soft.queue].flatMap((queue) => (queue ? [queueEndOf(queue)] : []));
  const end = laterOf(now, ...ends);
  return end > now ? end : undefined;
}
