import type { Concluded, Plan, PlannedChange } from '../decision.ts';
import { isSame, nothing, write } from '../decision.ts';
import { dropAfterMs, type Node } from '../nodes/node.ts';
import { type EpochMs, earlier, plusMs } from '../units.ts';
import { awaitedUntil, turnChangesOf, turnsAfter } from './admit.ts';
import type { Move } from './board.ts';
import { type Braked, brakeNow, brakesAfter } from './brake-now.ts';
import { movesFrozen } from './brakes.ts';
import { clientsMaxOf, crowdedAfter, crowdedBecause, crowdedDueAt, crowdedEvents } from './capacity.ts';
import { type Followed, follow } from './follow.ts';
import { letGoIn, type PinsNow, pinChanges, pinsAfter, pinsAwaitedUntil, pinsNow } from './follow-pins.ts';
import { keepMsOf, keptAfter } from './keep.ts';
import { type Kept, keepsEndAt } from './kept.ts';
import { type LoadedZone, slotsOwned } from './loaded.ts';
import { paceAfter, paceDueAt, paceNeeds, paceOf, splitsNow } from './pace.ts';
import { place } from './place.ts';
import { type Recoveries, recoveriesAfter, recoveryDueAt } from './recovery.ts';
import { releaseChanges } from './release.ts';
import { type Heirs, handedOver, heirsOf, rosterAfter, withoutLapsed } from './replace.ts';
import { generationAt, nodesMax, rosterSize, standingAt } from './roster.ts';
import { nobody, pagesEveryMs, slotsMin, versionsPerPage } from './slots.ts';
import type { Counted, Followee, ReadNode, ZoneSnapshot } from './snapshot.ts';
import { splitPlan } from './split.ts';
import { admits, gone, serves, standingOf, standings } from './standing.ts';
import { deltaChanges, mapChange, memberChanges, versionsOf } from './stored.ts';
import type { Member, ZoneHead } from './zone.ts';

/**
 * A plan, or what it must see before it can be made: the desired state of nodes, and their row if they leave; all members of the zone, for
 * the brakes; suspects that the brakes hold no more.
 */
export type Planned = Plan & { readonly needs: readonly string[]; readonly looks?: true; readonly follows?: readonly string[] };

/** Nodes that one plan follows, and nodes it takes slots from: with head, map and members below the 100 rows of a commit. */
export const nodesPerPlanMax = 30;
const donorsMax = 30;

/** What the zone does about its due nodes: standings, then slots, then the rows that say so, all fenced by the head's revision. */
export function plan(snapshot: ZoneSnapshot, now: EpochMs): Planned {
  const { zone } = snapshot;
  const braking = brakeNow(snapshot, now, nodesPerPlanMax);
  if (braking.asks) return { changes: [], because: [], needs: [], ...braking.asks };
  const heirs = heirsOf(snapshot);
  if (heirs.asks.length > 0) return { changes: [], because: [], needs: [], follows: heirs.asks };
  const counted: Counted = { ...snapshot, owned: slotsOwned(zone) };
  const round = followAll(counted, braking, heirs, now);
  const kept = keptAfter(zone, round, now);
  const unseen = paceNeeds(snapshot, now);
  if (unseen.length > 0) return { changes: [], because: [], needs: unseen };
  const pins = pinsNow(snapshot, round, kept, now);
  const { moves, settling, budgets, crowded } = moveSlots(counted, round, { kept, pins }, now);
  const rosterMoved = round.some(
    ({ before, standing, index, followed, read }) =>
      before !== standing || generationAt(zone.head.roster, index) !== generationOf(followed, read.body),
  );
  const letGo = letGoIn(snapshot, pins);
  const members = memberChanges(snapshot, round);
  const turns = turnsAfter(snapshot, moves, round, now);
  const brakes = brakesAfter(braking, round, now);
  const pinned = pinChanges(snapshot, pins, { round, moves, turns: turns ?? zone.turns }, now);
  const recovery = recoveriesAfter(counted, { round, moves, turns: turns ?? zone.turns, pins: pinsAfter(snapshot, pinned), kept }, now);
  const changed =
    [rosterMoved, moves.length > 0, letGo.length > 0, members.length > 0, turns !== undefined, brakes !== zone.head.brakes].includes(
      true,
    ) ||
    !isSame(kept, zone.head.kept ?? []) ||
    !isSame(recovery.recovering, zone.head.recovering ?? []) ||
    !isSame(budgets, zone.head.budgets) ||
    !isSame(crowded, zone.head.crowded) ||
    String(settling) !== String(zone.head.settling);
  const version = zone.head.version + (changed ? versionsOf(zone.head, moves.length) : 0);
  const release = releaseChanges(snapshot, { moves, round, letGo }, version);
  if (release.needs.length > 0) return { changes: [], because: [], needs: release.needs };
  const nodeChanges = round.flatMap((one) => nodeChange(one, release.ordered, { version, now }));
  if (!changed && nodeChanges.length === 0 && pinned.length === 0)
    return atRest(snapshot, (head) => headDueAt(zone.head, head, braking.lookAt, now));

  const because = [
    ...braking.because,
    ...round.filter((one) => one.before !== one.standing).map((one) => one.followed.why),
    ...crowdedBecause(zone.head.crowded, crowded),
    ...recovery.because,
  ];
  const head = changed
    ? headAfter(zone.head, round, {
        version,
        moved: moves.length > 0,
        members: members.length > 0,
        turned: turns !== undefined,
        settling,
        brakes,
        budgets,
        kept,
        crowded,
        recovery,
      })
    : zone.head;
  const events = changed
    ? [...braking.events, ...headEvents(snapshot, round, moves, version, because), ...crowdedEvents(zone.head, crowded), ...recovery.events]
    : [];
  const headChange: PlannedChange = {
    ref: { noun: 'zone', id: zone.head.name },
    readRev: snapshot.headRev,
    decision: changed
      ? write(head, because.join('; ') || 'slots find their place', {
          events,
          wakeAt: headDueAt(zone.head, head, earlier(braking.lookAt, keepsEndAt(kept)), now),
        })
      : nothing('the zone is as it was', snapshot.headWakeAt),
  };
  const map =
    moves.length === 0 ? [] : zone.head.slots === slotsMin ? [mapChange(snapshot, moves, version)] : deltaChanges(zone.head, moves, now);
  const turned = turns ? turnChangesOf(snapshot, turns, version) : [];
  return { changes: [headChange, ...map, ...members, ...turned, ...pinned, ...nodeChanges, ...release.changes], because, needs: [] };
}

/** Nothing is to be done about nodes and moves: the slots may be split. */
const atRest = (snapshot: ZoneSnapshot, wakeAt: (head: ZoneHead) => EpochMs | undefined): Planned => ({
  ...(splitsNow(snapshot.zone.head) ? splitPlan(snapshot, wakeAt) : { changes: [], because: [] }),
  needs: [],
});

/**
 * What waits for its pace goes on when that lets it; every 64th version the sweep writes the map's pages, and before 6 h are over; the brakes
 * look again while they hold somebody.
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

function followAll(snapshot: Counted, { holds }: Braked, heirs: Heirs, now: EpochMs): Followee[] {
  const { zone, graceUntil, owned } = snapshot;
  let next = rosterSize(zone.head.roster);
  return toFollow(snapshot).flatMap((due): Followee[] => {
    const handover = heirs.of.get(due.body.id);
    if (handover) return handover.by === due && !handover.waits ? handedOver(handover, snapshot, now) : [];
    const read = withoutLapsed(due, heirs);
    const node = read.body;
    const isNew = node.index === undefined;
    const index = node.index ?? next;
    const before = isNew ? 'none' : standingOf(standingAt(zone.head.roster, index));
    const followed = follow(node, {
      ...{
        before,
        ownedSlots: owned[index] ?? 0,
        awaitedUntil: awaitedUntil(zone.turns, index, now) ?? pinsAwaitedUntil(snapshot, index, now),
        now,
        graceUntil,
      },
      ...{ because: read.because, held: holds.get(node.id), brakes: zone.head.brakes },
      dropAfterMs: node.replacedBy ? Number.POSITIVE_INFINITY : dropMsOf(zone, index),
      readmit: zone.head.readmit,
    });
    if (followed.standing === 'none' || index >= nodesMax) return [{ index: nobody, before: 'none', standing: 'none', followed, read }];
    if (isNew) next++;
    return [{ index, before, standing: followed.standing, followed, read }];
  });
}

/** How long a node may be down before it is given up: not before its clients may go elsewhere, and in recovery mode not by itself. */
const dropMsOf = (zone: LoadedZone, index: number): number =>
  zone.head.mode === 'recovery' ? Number.POSITIVE_INFINITY : Math.max(dropAfterMs, keepMsOf(zone, index) ?? 0);

/** As many due nodes as one plan follows, and besides them whoever loses slots while it leaves. */
function toFollow({ nodes, desired }: ZoneSnapshot): ReadNode[] {
  const sorted = [...nodes].sort((a, b) => (a.body.id < b.body.id ? -1 : 1));
  const goesOnlyOnceReleased = ({ body }: ReadNode): boolean => body.status === 'leaving' && desired.has(body.id);
  return [...sorted.filter((one) => !goesOnlyOnceReleased(one)).slice(0, nodesPerPlanMax), ...sorted.filter(goesOnlyOnceReleased)];
}

/** Slots that find another place, or no room; whose share is not whole; and what of the budgets that leaves. */
type Paced = Pick<ZoneHead, 'settling' | 'budgets' | 'crowded'> & { readonly moves: readonly Move[] };

function moveSlots(
  snapshot: Counted,
  round: readonly Followee[],
  { kept, pins }: { readonly kept: readonly Kept[]; readonly pins: PinsNow },
  now: EpochMs,
): Paced {
  const { zone } = snapshot;
  const keeps = new Set(kept.map(({ index }) => index));
  const standing = new Map(round.flatMap(standingsAfter));
  const codeOf = (index: number): number => standing.get(index) ?? standingAt(zone.head.roster, index);
  const size = Math.max(rosterSize(zone.head.roster), ...round.filter((one) => one.index !== nobody).map((one) => one.index + 1));
  const weightOf = memberWeights(zone, round);
  const weights = Array.from({ length: size }, (_, index) => (admits(codeOf(index)) ? weightOf(index) : 0));
  const becameUp = round.filter((one) => one.standing === 'up' && !admits(standings[one.before]));
  // Nothing moves while an operator has frozen it: who would have had slots has them once he lets go.
  if (movesFrozen(zone.head)) {
    const settling = [...new Set([...zone.head.settling, ...becameUp.map(({ index }) => index)])].sort((a, b) => a - b);
    return { moves: [], settling, budgets: zone.head.budgets, crowded: zone.head.crowded };
  }
  const pace = paceOf(snapshot, now);
  const placed = place({
    map: zone.map,
    counts: pins.counts,
    pinned: pins.load,
    weights,
    leaves: (index) => (gone(codeOf(index)) && !keeps.has(index)) || codeOf(index) === standings.draining,
    forgotten: (index) => codeOf(index) === standings.dropped || codeOf(index) === standings.none,
    tells: (index) => serves(codeOf(index)),
    returning: [...becameUp.filter((one) => !isNewcomer(one)).map((one) => one.index), ...zone.head.settling],
    joining: [...becameUp.filter(isNewcomer).map((one) => one.index), ...zone.head.settling],
    // In recovery mode nobody moves but the clients of lost nodes: whoever joins has its share once that is over.
    shares: zone.head.mode === 'production',
    donorsMax,
    clientsMax: clientsMaxOf(zone.members, round),
    allowance: pace.allowance,
    balances: pace.balances,
  });
  const { moves, settling } = placed;
  const version = zone.head.version + versionsOf(zone.head, moves.length);
  const crowded = crowdedAfter(zone.head.crowded, placed.crowded, now);
  return { moves, settling, budgets: paceAfter(zone.head, pace, placed, { version, now }), crowded };
}

/** What a node stands as by index from now on, and the index that it has left. */
const standingsAfter = ({ index, standing, tookOver }: Followee): [number, number][] => [
  ...(index === nobody ? [] : [[index, standings[standing]] as [number, number]]),
  ...(tookOver?.vacates === undefined ? [] : [[tookOver.vacates, standings.none] as [number, number]]),
];

/** It has never been up in the zone: it is owed its share, where any other is owed its home. */
const isNewcomer = ({ before }: Followee): boolean => before === 'none' || before === 'joining';

/** The node's own row follows too: it learns its index, and a draining one the map version of what it is ordered to release. */
function nodeChange(
  { index, followed, read }: Followee,
  ordered: ReadonlySet<number>,
  { version, now }: { version: number; now: EpochMs },
): PlannedChange[] {
  const ref = { noun: 'node', id: read.body.id };
  const { node: decision } = followed;
  if (decision.does === 'remove') return [];
  const after = decision.does === 'write' ? decision.next : read.body;
  const drained = after.status === 'leaving' && ordered.has(index);
  if (decision.does === 'nothing' && !drained) return [];
  const next: Node = {
    ...after,
    ...(index !== nobody && { index }),
    ...(drained && after.status === 'leaving' && { leaving: { ...after.leaving, orderVersion: version, movedAt: now } }),
  };
  const written = decision.does === 'write' ? decision : write<Node, never>(next, read.because, { wakeAt: decision.wakeAt });
  return [{ ref, readRev: read.rev, decision: { ...written, next } }];
}

const generationOf = (followed: Followed, node: Node): number =>
  followed.node.does === 'write' ? followed.node.next.generation : node.generation;

function headAfter(
  head: ZoneHead,
  round: readonly Followee[],
  after: {
    version: number;
    moved: boolean;
    members: boolean;
    turned: boolean;
    settling: number[];
    brakes: ZoneHead['brakes'];
    budgets: ZoneHead['budgets'];
    kept: readonly Kept[];
    crowded: ZoneHead['crowded'];
    recovery: Recoveries;
  },
): ZoneHead {
  const { version, moved, members, turned, settling, brakes, budgets, kept, crowded, recovery } = after;
  const { kept: _before, crowded: _was, recovering: _losses, recovered: _over, ...rest } = head;
  const roster = rosterAfter(head.roster, round);
  return {
    ...{ ...rest, version, roster, settling, brakes, budgets },
    ...(kept.length > 0 && { kept: [...kept] }),
    ...(crowded && { crowded }),
    ...(recovery.recovering.length > 0 && { recovering: [...recovery.recovering] }),
    ...(recovery.recovered.length > 0 && { recovered: [...recovery.recovered] }),
    ...(moved && { mapVersion: version }),
    ...(members && { membersVersion: version }),
    ...(turned && { turnsVersion: version }),
  };
}

function headEvents(
  { zone, counts }: ZoneSnapshot,
  round: readonly Followee[],
  moves: readonly Move[],
  version: number,
  because: readonly string[],
): Concluded[] {
  const name = zone.head.name;
  const lost = round.filter((one) => one.standing === 'down' && one.before !== 'down');
  const losses = lost.map(({ index, read }): Concluded => {
    let slots = 0;
    let about = 0;
    const { owner } = zone.map;
    for (let slot = 0; slot < owner.length; slot++) {
      if (owner[slot] !== index) continue;
      slots++;
      about += counts[slot] ?? 0;
    }
    return {
      type: 'zone.node-lost',
      version: 1,
      data: { zone: name, node: read.body.id, slots, about: Math.round(about), mapVersion: version },
    };
  });
  const moved = moves.filter((move) => move.from !== move.owner).length;
  if (moved === 0) return losses;
  return [
    ...losses,
    { type: 'zone.rebalanced', version: 1, data: { zone: name, slots: moved, mapVersion: version, reasons: because.slice(0, 20) } },
  ];
}

function memberWeights(zone: LoadedZone, round: readonly Followee[]): (index: number) => number {
  const own = new Map(round.map((one) => [one.index, one.read.body.weight]));
  return (index) => own.get(index) ?? (zone.members[index] as Member | undefined)?.weight ?? 1;
}
