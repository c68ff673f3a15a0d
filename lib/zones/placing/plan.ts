import { isSame, nothing, type Plan, type PlannedChange, write } from '../../core/decision.ts';
import { type EpochMs, earlier, plusMs } from '../../core/time.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import { clientsMaxOf, crowdedAfter, crowdedBecause, crowdedDueAt, crowdedEvents } from '../capacity/crowding.ts';
import { movesFrozen } from '../guardrails/guardrails.ts';
import { guardrailsAfter, guardrailsNow } from '../guardrails/now.ts';
import type { Move } from '../map/board.ts';
import type { ResolvedStanding } from '../map/follow.ts';
import { generationAt, rosterSize, standingAt } from '../map/rows/roster.ts';
import { nobody, pagesEveryMs, slotsMin, versionsPerPage } from '../map/rows/slots.ts';
import { admits, gone, serves, standings } from '../map/rows/standing.ts';
import type { Counted, StandingDecision, ZoneSnapshot } from '../map/snapshot.ts';
import { splitPlan } from '../map/split.ts';
import { letGoIn, type PinsNow, pinChanges, pinsAfter, pinsNow } from '../pins/follow.ts';
import { type Retention, retentionEndsAt } from '../rows/kept.ts';
import { type LoadedZone, slotsOwned } from '../rows/loaded.ts';
import { awaitedUntil, scheduleAfter, scheduleChangesOf } from '../turns/admit.ts';
import { type Member, type ZoneHead, zoneRef } from '../zone.ts';
import { type Cut, cutToFit, type Fill, firstCut, nodesPerPlanMax } from './cut.ts';
import { givenUp } from './given-up.ts';
import { headAfter, headEvents } from './head-after.ts';
import { retainedAfter } from './keep.ts';
import { paceAfter, paceDueAt, paceMissing, paceOf, splitsNow } from './pace.ts';
import { place } from './place.ts';
import { recoveriesAfter, recoveryDueAt } from './recovery.ts';
import { releaseChanges } from './release.ts';
import { heirsOf } from './replace.ts';
import { resolveAll, standingsBecause } from './round.ts';
import { deltaChanges, mapChange, memberChanges, versionsOf } from './stored.ts';

/**
 * A plan, or the rows that it must read before it can be made: the desired state of nodes, and their row if they leave;
 * all members of the zone, for the guard-rails; suspects that the guard-rails no longer hold. `left`: due nodes that
 * wait for a later plan; `cut`: the cut of this plan.
 */
export type Planned = Plan & {
  readonly needs: readonly string[];
  readonly looks?: true;
  readonly follows?: readonly string[];
  readonly left: readonly string[];
  readonly cut: Cut;
};

/** A plan before its size is known: how many slots it moves. */
type Sized = Omit<Planned, 'cut'> & { readonly moves: number };

const none = { changes: [], because: [], needs: [], left: [], moves: 0 };

/** Whether a plan is not made yet, because it must read more. */
export const isIncomplete = ({ needs, looks, follows }: Pick<Planned, 'needs' | 'looks' | 'follows'>): boolean =>
  needs.length > 0 || looks === true || follows !== undefined;

/**
 * Plans the zone for its due nodes, as many as one commit takes: `fillOf` gives how full a commit these changes make.
 * The rest is left to the next plan, the most urgent first. `from`: the first cut to try.
 */
export const plan = (
  snapshot: ZoneSnapshot,
  now: EpochMs,
  fillOf: (changes: readonly PlannedChange[]) => Fill,
  from: Cut = firstCut,
): Planned => cutToFit<Sized>(from, (cut) => planCut(snapshot, now, cut), { isIncomplete, fillOf });

/** Plans standings, then slots, then the rows that store them, all fenced by the head's revision. */
function planCut(snapshot: ZoneSnapshot, now: EpochMs, cut: Cut): Sized {
  const { zone } = snapshot;
  const guardrails = guardrailsNow(snapshot, now, nodesPerPlanMax);
  if (guardrails.asks) return { ...none, ...guardrails.asks };
  const heirs = heirsOf(snapshot);
  if (heirs.missing.length > 0) return { ...none, follows: heirs.missing };
  const counted: Counted = { ...snapshot, owned: slotsOwned(zone) };
  const { decisions: round, left } = resolveAll(counted, { holds: guardrails.holds, heirs, nodesMax: cut.nodes, now });
  const retained = retainedAfter(zone, round, now);
  const unseen = paceMissing(snapshot, now);
  if (unseen.length > 0) return { ...none, needs: unseen };
  const pins = pinsNow(snapshot, { round, retained, letGoMax: cut.notified }, now);
  const letGo = letGoIn(snapshot, pins);
  const { moves, settling, budgets, crowded } = moveSlots(
    counted,
    round,
    { retained, pins, cut: { ...cut, notified: cut.notified - pins.notified } },
    now,
  );
  const rosterMoved = round.some(
    ({ before, standing, index, resolved, read, isDeferred }) =>
      before !== standing || (!isDeferred && generationAt(zone.head.roster, index) !== generationOf(resolved, read.body)),
  );
  const members = memberChanges(snapshot, round);
  const turns = scheduleAfter(snapshot, moves, round, now);
  const brakes = guardrailsAfter(guardrails, round, now);
  const pinned = pinChanges(snapshot, pins, { round, moves, turns: turns ?? zone.turns }, now);
  const recovery = recoveriesAfter(counted, { round, moves, turns: turns ?? zone.turns, pins: pinsAfter(snapshot, pinned), retained }, now);
  const changed =
    [rosterMoved, moves.length > 0, letGo.length > 0, members.length > 0, turns !== undefined, brakes !== zone.head.brakes].includes(
      true,
    ) ||
    !isSame(retained, zone.head.kept ?? []) ||
    !isSame(recovery.recovering, zone.head.recovering ?? []) ||
    !isSame(budgets, zone.head.budgets) ||
    !isSame(crowded, zone.head.crowded) ||
    String(settling) !== String(zone.head.settling);
  const version = zone.head.version + (changed ? versionsOf(zone.head, moves.length) : 0);
  const release = releaseChanges(snapshot, { moves, round, letGo }, version);
  if (release.missingDesired.length > 0) return { ...none, needs: release.missingDesired };
  const turnsUntil = (index: number): EpochMs | undefined => {
    const left = (counted.owned[index] ?? 0) - moves.filter(({ from }) => from === index).length;
    return left === 0 ? awaitedUntil(turns ?? zone.turns, index, now) : undefined;
  };
  const nodeChanges = round.flatMap((one) => nodeChange(one, release.ordered, { version, now, turnsUntil }));
  if (!changed && nodeChanges.length === 0 && pinned.length === 0)
    return { ...none, left, ...atRest(snapshot, (head) => headDueAt(zone.head, head, guardrails.lookAt, now)) };

  const because = [...guardrails.because, ...standingsBecause(round), ...crowdedBecause(zone.head.crowded, crowded), ...recovery.because];
  const head = changed
    ? headAfter(zone.head, round, {
        version,
        moved: moves.length > 0,
        members: members.length > 0,
        turned: turns !== undefined,
        settling,
        brakes,
        budgets,
        retained,
        crowded,
        recovery,
      })
    : zone.head;
  const events = changed
    ? [
        ...guardrails.events,
        ...headEvents(snapshot, round, moves, version, because),
        ...crowdedEvents(zone.head, crowded),
        ...recovery.events,
      ]
    : [];
  const headChange: PlannedChange = {
    ref: zoneRef(zone.head.name),
    readRev: snapshot.headRev,
    decision: changed
      ? write(head, because.join('; ') || 'slots or their budgets changed', {
          events,
          wakeAt: headDueAt(zone.head, head, earlier(guardrails.lookAt, retentionEndsAt(retained)), now),
        })
      : nothing('the zone is unchanged', snapshot.headWakeAt),
  };
  const map =
    moves.length === 0 ? [] : zone.head.slots === slotsMin ? [mapChange(snapshot, moves, version)] : deltaChanges(zone.head, moves, now);
  const turned = turns ? scheduleChangesOf(snapshot, turns, version) : [];
  const changes = [headChange, ...map, ...members, ...turned, ...pinned, ...nodeChanges, ...release.changes];
  return { changes, because, needs: [], left, moves: moves.length };
}

/** With no changes of nodes and moves, the slots may be split. */
const atRest = (snapshot: ZoneSnapshot, wakeAt: (head: ZoneHead) => EpochMs | undefined): Partial<Plan> =>
  splitsNow(snapshot.zone.head) ? splitPlan(snapshot, wakeAt) : {};

/**
 * When the head is due: when a budget allows waiting slots to move; at once for the map's pages at every 64th version,
 * and otherwise within 6 h; and when the guard-rails that hold a node must read the zone again.
 */
function headDueAt(before: ZoneHead, head: ZoneHead, lookAt: EpochMs | undefined, now: EpochMs): EpochMs | undefined {
  const isLarge = head.slots > slotsMin;
  if (isLarge && head.mapVersion > before.mapVersion && pageOf(head.version) > pageOf(before.version)) return now;
  return earlier(
    earlier(earlier(paceDueAt(head, now), recoveryDueAt(head)), crowdedDueAt(head, now)),
    earlier(lookAt, isLarge ? plusMs(now, pagesEveryMs) : undefined),
  );
}

const pageOf = (version: number): number => Math.floor(version / versionsPerPage);

/** The moved and crowded slots, the nodes whose share is incomplete, and the budgets that remain. */
type Paced = Pick<ZoneHead, 'settling' | 'budgets' | 'crowded'> & { readonly moves: readonly Move[] };

function moveSlots(
  snapshot: Counted,
  round: readonly StandingDecision[],
  { retained, pins, cut }: { readonly retained: readonly Retention[]; readonly pins: PinsNow; readonly cut: Cut },
  now: EpochMs,
): Paced {
  const { zone } = snapshot;
  const keeps = new Set(retained.map(({ index }) => index));
  const standing = new Map(round.flatMap(standingsAfter));
  const codeOf = (index: number): number => standing.get(index) ?? standingAt(zone.head.roster, index);
  const size = Math.max(rosterSize(zone.head.roster), ...round.filter((one) => one.index !== nobody).map((one) => one.index + 1));
  const weightOf = memberWeights(zone, round);
  const weights = Array.from({ length: size }, (_, index) => (admits(codeOf(index)) ? weightOf(index) : 0));
  const atOnce = givenUp(zone.head.budgets, round);
  const becameUp = round.filter((one) => one.standing === 'up' && !admits(standings[one.before]));
  // Nothing moves while an operator has frozen moves: nodes that are owed slots get them after the freeze.
  if (movesFrozen(zone.head)) {
    const settling = [...new Set([...zone.head.settling, ...becameUp.map(({ index }) => index)])].sort((a, b) => a - b);
    const budgets = atOnce.size === 0 ? zone.head.budgets : { ...zone.head.budgets, atOnce: [...atOnce] };
    return { moves: [], settling, budgets, crowded: zone.head.crowded };
  }
  const pace = paceOf(snapshot, now);
  const placed = place({
    map: zone.map,
    counts: pins.counts,
    pinned: pins.load,
    weights,
    leaves: (index) => (gone(codeOf(index)) && !keeps.has(index)) || codeOf(index) === standings.draining,
    atOnce: (index) => atOnce.has(index),
    forgotten: (index) => codeOf(index) === standings.dropped || codeOf(index) === standings.none,
    tells: (index) => serves(codeOf(index)),
    returning: [...becameUp.filter((one) => !isNewcomer(one)).map((one) => one.index), ...zone.head.settling],
    joining: [...becameUp.filter(isNewcomer).map((one) => one.index), ...zone.head.settling],
    // In recovery mode only clients of lost nodes move: nodes that join get their share afterwards.
    shares: zone.head.mode === 'production',
    donorsMax: cut.notified,
    movesMax: cut.moves,
    clientsMax: clientsMaxOf(zone.members, round),
    allowance: pace.allowance,
    balances: pace.balances,
  });
  const { moves, settling } = placed;
  const version = zone.head.version + versionsOf(zone.head, moves.length);
  const crowded = crowdedAfter(zone.head.crowded, placed.crowded, now);
  const isCut = placed.isCut || pins.isCut;
  const gave = Map.groupBy(moves, ({ from }) => from);
  const left = [...atOnce].filter((index) => (snapshot.owned[index] ?? 0) > (gave.get(index)?.length ?? 0));
  return { moves, settling, budgets: paceAfter(zone.head, pace, { ...placed, isCut, atOnce: left }, { version, now }), crowded };
}

/** The standing of a node by index from now on, and that of the index that it has left. */
const standingsAfter = ({ index, standing, tookOver }: StandingDecision): [number, number][] => [
  ...(index === nobody ? [] : [[index, standings[standing]] as [number, number]]),
  ...(tookOver?.vacates === undefined ? [] : [[tookOver.vacates, standings.none] as [number, number]]),
];

/** It has never been up in the zone: it is owed its share, while any other node is owed its home. */
const isNewcomer = ({ before }: StandingDecision): boolean => before === 'none' || before === 'joining';

/**
 * The change of the node's own row: it learns its index, and a draining node the map version of the slots that it must
 * release.
 */
function nodeChange(
  { index, resolved, read }: StandingDecision,
  ordered: ReadonlySet<number>,
  { version, now, turnsUntil }: { version: number; now: EpochMs; turnsUntil: (index: number) => EpochMs | undefined },
): PlannedChange[] {
  const ref = nodeRef(read.body.id);
  const { node: decision } = resolved;
  if (decision.does === 'remove') return [];
  const after = decision.does === 'write' ? decision.next : read.body;
  const drained = after.status === 'leaving' && ordered.has(index);
  if (decision.does === 'nothing' && !drained) return [];
  const until = drained ? turnsUntil(index) : undefined;
  const next: Node = {
    ...after,
    ...(index !== nobody && { index }),
    ...(drained &&
      after.status === 'leaving' && {
        leaving: { ...after.leaving, orderVersion: version, movedAt: now, ...(until !== undefined && { turnsUntil: until }) },
      }),
  };
  const written = decision.does === 'write' ? decision : write<Node, never>(next, read.because, { wakeAt: decision.wakeAt });
  return [{ ref, readRev: read.rev, decision: { ...written, next } }];
}

const generationOf = (followed: ResolvedStanding, node: Node): number =>
  followed.node.does === 'write' ? followed.node.next.generation : node.generation;

function memberWeights(zone: LoadedZone, round: readonly StandingDecision[]): (index: number) => number {
  const own = new Map(round.map((one) => [one.index, one.read.body.weight]));
  return (index) => own.get(index) ?? (zone.members[index] as Member | undefined)?.weight ?? 1;
}
