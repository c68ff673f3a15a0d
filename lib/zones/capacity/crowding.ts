import { type Concluded, isSame } from '../../core/decision.ts';
import { type EpochMs, minuteMs, plusMs } from '../../core/time.ts';
import type { Board, ClientsMax } from '../map/board.ts';
import { rosterSize, standingAt } from '../map/rows/roster.ts';
import { gone, serves, standings } from '../map/rows/standing.ts';
import type { StandingDecision } from '../map/snapshot.ts';
import { isRetained } from '../rows/kept.ts';
import type { Member, ZoneHead } from '../zone.ts';
import type { Crowded } from './rows/crowded.ts';

/**
 * How far a node is filled, as a share of its declared capacity. Three per cent are left for clients that the counts do
 * not show yet: counts are up to ten minutes old, or twenty in a zone of a million.
 */
export const fillShare = 0.97;

/**
 * How many clients are given to a node that declares a capacity: 97 % of it, and at least one; infinite for one that
 * declares none.
 */
export const clientsMax = (capacity: number | undefined): number =>
  capacity === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(fillShare * capacity));

/** How many clients each node may be given in a plan; the due nodes declare it in their own rows. */
export function clientsMaxOf(members: readonly (Member | undefined)[], round: readonly StandingDecision[]): ClientsMax {
  const own = new Map(round.map(({ index, read }) => [index, read.body.capacity]));
  return (index) => clientsMax(own.has(index) ? own.get(index) : members[index]?.capacity);
}

/**
 * A node that has more clients than a plan would give it gives slots to those that have room, until it has as many;
 * each at most as `affords` allows. The new owner of a slot becomes its home, because the slot would not fit where it
 * comes from.
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

/** The most clients for which some node has room: where none has, not every slot is compared with every node. */
const roomOf = (board: Board, takers: readonly number[]): number => takers.reduce((most, index) => Math.max(most, board.left(index)), 0);

/** The record of slots that found no room. */
export function crowdedAfter(before: Crowded | undefined, clients: readonly number[], now: EpochMs): Crowded | undefined {
  if (clients.length === 0) return undefined;
  const sum = Math.round(clients.reduce((all, one) => all + one, 0));
  return { since: before?.since ?? now, slots: clients.length, clients: sum };
}

/** Why a plan changes the record of crowded slots. */
export const crowdedBecause = (before: Crowded | undefined, after: Crowded | undefined): string[] =>
  after ? (isSame(before, after) ? [] : [describeCrowded(after)]) : before ? ['rule 15: there is room again'] : [];

/** The events of a zone when slots begin to wait for room, when more of them do, and when none does any longer. */
export function crowdedEvents({ name, crowded: before }: Pick<ZoneHead, 'name' | 'crowded'>, after: Crowded | undefined): Concluded[] {
  if (!after) return before ? [{ type: 'zone.relieved', version: 1, data: { zone: name } }] : [];
  if (after.slots <= (before?.slots ?? 0)) return [];
  return [{ type: 'zone.crowded', version: 1, data: { zone: name, slots: after.slots, about: after.clients } }];
}

/** How often a zone checks for room, in ms: counts change without notice to a plan. */
const checkEveryMs = minuteMs;

/** When to check for room; undefined when no slot waits for it. */
export const crowdedDueAt = ({ crowded }: Pick<ZoneHead, 'crowded'>, now: EpochMs): EpochMs | undefined =>
  crowded && plusMs(now, checkEveryMs);

/** Whether the slots of a node, by index, must go elsewhere, so that they wait when there is no room. */
export const mustGo = ({ head }: { readonly head: ZoneHead }, index: number): boolean =>
  gone(standingAt(head.roster, index)) || standingAt(head.roster, index) === standings.draining;

/** The sentence that slots wait for room. */
export const describeCrowded = ({ slots, clients }: Crowded): string =>
  `rule 15: no node has room for ${slots} slots with about ${clients} client systems, since each is filled to ${100 * fillShare} % of its capacity: they wait where they are`;

/** The sentence that a zone is full. */
export const describeFull = (zone: string, { declared, clientsMax: most }: ZoneCapacity, clients: number): string =>
  `zone ${zone} is full: it has about ${clients} client systems, and its nodes take ${most}, ${100 * fillShare} % of the ${declared} that they declare`;

/**
 * Whether client systems of a zone are on a node, by index: it serves and stays, or is down and has its clients
 * retained.
 */
export function hostsClients(head: ZoneHead, index: number, now: EpochMs): boolean {
  const code = standingAt(head.roster, index);
  return (serves(code) && code !== standings.draining) || isRetained(head, index, now);
}

/** The capacity of a zone: the sum that its nodes declare, and how many clients they are given of it. */
export type ZoneCapacity = { readonly declared: number; readonly clientsMax: number };

/**
 * The capacity of the nodes that a zone's clients are on now. Undefined when there is no such node, or one of them
 * declares nothing: then the zone takes any number.
 */
export function zoneCapacity(
  { head, members }: { readonly head: ZoneHead; readonly members: readonly (Member | undefined)[] },
  now: EpochMs,
): ZoneCapacity | undefined {
  let sum: ZoneCapacity | undefined;
  for (let index = 0; index < rosterSize(head.roster); index++) {
    if (!hostsClients(head, index, now)) continue;
    const capacity = members[index]?.capacity;
    if (capacity === undefined) return undefined;
    sum = { declared: (sum?.declared ?? 0) + capacity, clientsMax: (sum?.clientsMax ?? 0) + clientsMax(capacity) };
  }
  return sum;
}
