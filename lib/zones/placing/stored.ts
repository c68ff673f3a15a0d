import { isSame, type PlannedChange, write } from '../../core/decision.ts';
import { dayMs, type EpochMs, plusMs } from '../../core/time.ts';
import type { Move } from '../map/board.ts';
import { encodeDelta, encodePage, nobody, pageSlots, type SlotMap, slotsMin } from '../map/rows/slots.ts';
import type { StandingDecision, ZoneSnapshot } from '../map/snapshot.ts';
import type { Pace } from '../rows/admission.ts';
import { ratesAfter } from '../turns/rates.ts';
import {
  type Delta,
  deltaRef,
  type MapPage,
  type Member,
  type Members,
  mapRef,
  membersPerPage,
  membersRef,
  type ZoneHead,
} from '../zone.ts';

/** The map once these moves are made; the one given stays as it is. */
export const mapAfter = ({ owner, home }: SlotMap, moves: readonly Move[]): SlotMap => {
  const next = { owner: owner.slice(), home: home.slice() };
  for (const move of moves) {
    next.owner[move.slot] = move.owner;
    next.home[move.slot] = move.home;
  }
  return next;
};

/** With 1,024 slots the whole map, 4 KB, is written in the commit itself and there are no deltas. */
export const mapChange = ({ zone, mapRev }: ZoneSnapshot, moves: readonly Move[], version: number): PlannedChange => ({
  ref: mapRef(`${zone.head.name}/0`),
  readRev: mapRev,
  decision: write<MapPage, never>({ version, cells: encodePage(mapAfter(zone.map, moves), 0) }, `map version ${version}`),
});

/** Moves of one delta: 8 B each are 320 KB, and a row takes 400. */
const movesPerDelta = 40_000;

/** How many versions a change takes: one, and another for each further delta that its moves fill. */
export const versionsOf = ({ slots }: ZoneHead, moves: number): number =>
  slots === slotsMin ? 1 : Math.max(1, Math.ceil(moves / movesPerDelta));

/**
 * With more slots a commit stores only the moves, 8 B a slot; each delta is a map version of its own. It has no expiry:
 * until the pages hold it, it is the map.
 */
export const deltaChanges = (head: ZoneHead, moves: readonly Move[], now: EpochMs): PlannedChange[] =>
  Array.from({ length: versionsOf(head, moves.length) }, (_, n) => {
    const version = head.version + n + 1;
    const part = moves.slice(n * movesPerDelta, (n + 1) * movesPerDelta);
    return {
      ref: deltaRef(`${head.name}/${version}`),
      readRev: 0,
      decision: write<Delta, never>({ version, at: now, moves: encodeDelta(part) }, `map version ${version}`),
    };
  });

/** How long a delta stays once the pages hold it: no reader uses a head that old. */
const foldedForMs = dayMs;

/** Sets the expiry of a delta that every page holds. */
export const foldedDelta = (zone: string, { body, rev }: { body: Delta; rev: number }, now: EpochMs): PlannedChange => ({
  ref: deltaRef(`${zone}/${body.version}`),
  readRev: rev,
  decision: write<Delta, never>(body, 'the map pages hold it', { expiresAt: plusMs(now, foldedForMs) }),
});

/** The map's pages as of its newest version: the sweep writes them every 64th version, outside the commit. */
export const pageChanges = ({ zone }: ZoneSnapshot, pageRevs: readonly number[]): PlannedChange[] =>
  Array.from({ length: Math.ceil(zone.map.owner.length / pageSlots) }, (_, page) => ({
    ref: mapRef(`${zone.head.name}/${page}`),
    readRev: pageRevs[page] ?? 0,
    decision: write<MapPage, never>(
      { version: zone.head.mapVersion, cells: encodePage(zone.map, page) },
      `page ${page} of map version ${zone.head.mapVersion}`,
    ),
  }));

/** The member pages that change: by a new node, another weight, capacity or rate, or a ceiling of the zone. */
export function memberChanges(snapshot: ZoneSnapshot, round: readonly StandingDecision[]): PlannedChange[] {
  const { zone, memberRevs } = snapshot;
  const rates = ratesAfter(snapshot, round);
  const pages = new Map<number, (Member | null)[]>();
  const set = (index: number, member: Member | null): void => {
    const page = Math.floor(index / membersPerPage);
    const members = pages.get(page) ?? pageOf(zone.members, page);
    while (members.length <= index % membersPerPage) members.push(null);
    members[index % membersPerPage] = member;
    pages.set(page, members);
  };
  for (const [index, member] of zone.members.entries()) {
    if (!member?.pace) continue;
    const { everyMs } = rates(index);
    const { admitEveryMs: before = 0, ...rest } = member;
    if (everyMs !== before) set(index, { ...rest, ...(everyMs > 0 && { admitEveryMs: everyMs }) });
  }
  for (const { index, read, tookOver, isDeferred } of round) {
    if (isDeferred) continue;
    if (tookOver?.vacates !== undefined) set(tookOver.vacates, null);
    if (index === nobody) continue;
    const member = memberOf(read.body, rates(index).everyMs, snapshot.paces?.get(read.body.id));
    if (!isSame(zone.members[index], member)) set(index, member);
  }
  return [...pages].map(([page, members]) => ({
    ref: membersRef(`${zone.head.name}/${page}`),
    readRev: memberRevs[page] ?? 0,
    decision: write<Members, never>({ members }, 'members changed'),
  }));
}

const pageOf = (members: readonly (Member | undefined)[], page: number): (Member | null)[] =>
  Array.from(members.slice(page * membersPerPage, (page + 1) * membersPerPage), (member) => member ?? null);

const memberOf = (node: StandingDecision['read']['body'], admitEveryMs: number, pace: Pace | undefined): Member => {
  const { id, fqdn, watch, weight, capacity, page } = node;
  return {
    node: id,
    fqdn,
    watch,
    weight,
    ...(capacity !== undefined && { capacity }),
    ...(admitEveryMs > 0 && { admitEveryMs }),
    ...(pace && { pace }),
    ...(page !== undefined && { page }),
  };
};
