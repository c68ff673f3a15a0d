import { type Concluded, isSame } from '../../core/decision.ts';
import { type EpochMs, minuteMs, plusMs } from '../../core/time.ts';
import type { Board, ClientsMax } from '../map/board.ts';
import { rosterSize, standingAt } from '../map/rows/roster.ts';
import { gone, serves, standings } from '../map/rows/standing.ts';
import type { Followee } from '../map/snapshot.ts';
import { isKept } from '../rows/kept.ts';
import type { Member, ZoneHead } from '../zone.ts';
import type { Crowded } from './rows/crowded.ts';

/**
 * How far a node is filled, as a share of what it declares. Three in a hundred are left for what the counts do not show
 * yet: they are up to ten minutes old, or twenty in a zone of a million.
 */
export const fillShare = 0.97;

/**
 * How many clients are given to a node that declares a capacity: 97 % of it, and at least one; infinite for one that
 * declares none.
 */
export const clientsMax = (capacity: number | undefined): number =>
  capacity === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(fillShare * capacity));

/** How many clients each node may be given in a plan; what the due nodes declare is in their own rows. */
export function clientsMaxOf(members: readonly (Member | undefined)[], round: readonly Followee[]): ClientsMax {
  const own = new Map(round.map(({ index, read }) => [index, read.body.capacity]));
  return (index) => clientsMax(own.has(index) ? own.get(index) : members[index]?.capacity);
}

/**
 * A node that has more clients than a plan would give it gives slots to those that have room, until it has as many;
 * each at most as `affords` lets. Its slots' new home is where they go: they would not fit where they come from.
 */
export function relieve(board: Board, affords: (slot: number, donor: number) => boolean): void {
  const takers = board.takers();
  const over = takers.filter((index) => board.left(index) < 0);
  if (over.length === 0) return;
  const [emptiest, slotsOf] = [board.emptiest(takers), board.slotsOf(over)];
  for (const donor of over) {
    const slots = slotsOf(donor).filter((slot) => board.clientsIn(slot) > 0);
    let room = roomOf(board, takers);
    for (let slot = slots.pop(); slot !== undefined && board.left(donor) < 0 && room > 0; slot = slots.pop()) {
      const taker = board.clientsIn(slot) <= room ? board.takerOf(slot, emptiest) : undefined;
      if (taker === undefined) continue;
      if (!affords(slot, donor)) break;
      board.give(slot, taker);
      board.home[slot] = taker;
      for (const index of [donor, taker]) emptiest.moved(index);
      room = roomOf(board, takers);
    }
  }
}

/** The clients for which some node has room: where none has, not every slot is held against every node. */
const roomOf = (board: Board, takers: readonly number[]): number => takers.reduce((most, index) => Math.max(most, board.left(index)), 0);

/** What is noted of slots that found no room. */
export function crowdedAfter(before: Crowded | undefined, clients: readonly number[], now: EpochMs): Crowded | undefined {
  if (clients.length === 0) return undefined;
  const sum = Math.round(clients.reduce((all, one) => all + one, 0));
  return { since: before?.since ?? now, slots: clients.length, clients: sum };
}

/** Why a plan changes what waits for room. */
export const crowdedBecause = (before: Crowded | undefined, after: Crowded | undefined): string[] =>
  after ? (isSame(before, after) ? [] : [toldCrowded(after)]) : before ? ['rule 15: there is room again'] : [];

/** What a zone says once slots wait for room, once more of them do, and once none does any more. */
export function crowdedEvents({ name, crowded: before }: Pick<ZoneHead, 'name' | 'crowded'>, after: Crowded | undefined): Concluded[] {
  if (!after) return before ? [{ type: 'zone.relieved', version: 1, data: { zone: name } }] : [];
  if (after.slots <= (before?.slots ?? 0)) return [];
  return [{ type: 'zone.crowded', version: 1, data: { zone: name, slots: after.slots, about: after.clients } }];
}

/** How often it is looked whether there is room by now, in ms: clients are counted without any plan being told. */
const lookEveryMs = minuteMs;

/** When it is to be looked whether there is room; undefined when nothing waits for that. */
export const crowdedDueAt = ({ crowded }: Pick<ZoneHead, 'crowded'>, now: EpochMs): EpochMs | undefined =>
  crowded && plusMs(now, lookEveryMs);

/** Whether the slots of a node, by index, are to go elsewhere, so that they wait when there is no room. */
export const mustGo = ({ head }: { readonly head: ZoneHead }, index: number): boolean =>
  gone(standingAt(head.roster, index)) || standingAt(head.roster, index) === standings.draining;

/** That slots wait for room, in words for people. */
export const toldCrowded = ({ slots, clients }: Crowded): string =>
  `rule 15: no node has room for ${slots} slots with about ${clients} client systems, since each is filled to ${100 * fillShare} % of its capacity: they wait where they are`;

/** That a zone takes nobody more, in words for people. */
export const toldFull = (zone: string, { declared, clientsMax: most }: ZoneCapacity, clients: number): string =>
  `zone ${zone} is full: it has about ${clients} client systems, and its nodes take ${most}, ${100 * fillShare} % of the ${declared} that they declare`;

/**
 * Whether client systems of a zone live on a node, by index: it serves and stays, or is down and has its clients kept.
 */
export function isLivedOn(head: ZoneHead, index: number, now: EpochMs): boolean {
  const code = standingAt(head.roster, index);
  return (serves(code) && code !== standings.draining) || isKept(head, index, now);
}

/** What a zone takes: what its nodes declare together, and how many clients they are given of it. */
export type ZoneCapacity = { readonly declared: number; readonly clientsMax: number };

/**
 * What a zone takes by the nodes that its clients live on now. Undefined when there is no such node, or one of them
 * declares nothing: then it takes any number.
 */
export function zoneCapacity(
  { head, members }: { readonly head: ZoneHead; readonly members: readonly (Member | undefined)[] },
  now: EpochMs,
): ZoneCapacity | undefined {
  let sum: ZoneCapacity | undefined;
  for (let index = 0; index < rosterSize(head.roster); index++) {
    if (!isLivedOn(head, index, now)) continue;
    const capacity = members[index]?.capacity;
    if (capacity === undefined) return undefined;
    sum = { declared: (sum?.declared ?? 0) + capacity, clientsMax: (sum?.clientsMax ?? 0) + clientsMax(capacity) };
  }
  return sum;
}
