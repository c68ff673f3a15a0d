import { generationAt, rosterSize, standingAt } from '../map/rows/roster.ts';
import { applyDelta, decodePage, emptyMap, nobody, type SlotMap } from '../map/rows/slots.ts';
import { admits, serves } from '../map/rows/standing.ts';
import type { PinsByNode } from '../pins/pins.ts';
import type { AdmissionSchedule } from '../turns/turn.ts';
import { type Member, type Members, membersPerPage, type Revoked, type ZoneHead } from '../zone.ts';

/** A zone in memory, as readers and the planner use it. */
export type LoadedZone = {
  readonly head: ZoneHead;
  readonly map: SlotMap;
  readonly members: readonly (Member | undefined)[];
  /** When clients that were moved may be assigned to their new node. */
  readonly turns: AdmissionSchedule;
  /** When a fingerprint's tokens were last revoked, in seconds, by the top 32 bits of the fingerprint. */
  readonly revokedAt: ReadonlyMap<number, number>;
  readonly tokensBefore: number;
  readonly revokedVersion: number;
  /** Which client systems are pinned to which node. */
  readonly pins: PinsByNode;
};

/** Pages, then the deltas since, in order. */
export function loadMap(slots: number, pages: readonly Uint8Array[], deltas: readonly Uint8Array[] = []): SlotMap {
  const map = emptyMap(slots);
  for (const [page, cells] of pages.entries()) decodePage(cells, map, page);
  for (const moves of deltas) applyDelta(moves, map);
  return map;
}

/** Member pages as one list by index. */
export function loadMembers(pages: readonly Members[]): (Member | undefined)[] {
  const all: (Member | undefined)[] = [];
  pages.forEach(({ members }, page) => {
    members.forEach((member, i) => {
      all[page * membersPerPage + i] = member ?? undefined;
    });
  });
  return all;
}

/** Revocations by the top 32 bits of the fingerprint; of several, the newest counts. */
export function loadRevoked(revoked: Revoked | undefined): Pick<LoadedZone, 'revokedAt' | 'tokensBefore' | 'revokedVersion'> {
  const revokedAt = new Map<number, number>();
  if (!revoked) return { revokedAt, tokensBefore: 0, revokedVersion: 0 };
  const view = new DataView(revoked.entries.buffer, revoked.entries.byteOffset, revoked.entries.byteLength);
  for (let i = 0; i < revoked.entries.length; i += 8) {
    const top = view.getUint32(i);
    revokedAt.set(top, Math.max(revokedAt.get(top) ?? 0, view.getUint32(i + 4)));
  }
  return { revokedAt, tokensBefore: revoked.tokensBefore, revokedVersion: revoked.version };
}

/** Whether a node, by index, serves its clients at this generation. */
export const servesAt = ({ head }: LoadedZone, index: number, generation: number): boolean =>
  index !== nobody && generationAt(head.roster, index) === generation && serves(standingAt(head.roster, index));

/** Whether new clients may be sent to a node, by index. */
export const admitsAt = ({ head }: LoadedZone, index: number): boolean => index !== nobody && admits(standingAt(head.roster, index));

/** The roster index of a node, by id; undefined when it is no member. */
export function indexOf(zone: LoadedZone, node: string): number | undefined {
  const index = zone.members.findLastIndex((member) => member?.node === node);
  return index === -1 ? undefined : index;
}

/** How many slots each index owns. */
export function slotsOwned({ map, head }: Pick<LoadedZone, 'map' | 'head'>): Uint32Array {
  const owned = new Uint32Array(rosterSize(head.roster));
  const { owner } = map;
  for (let slot = 0; slot < owner.length; slot++) if (owner[slot] !== nobody) owned[owner[slot]!]!++;
  return owned;
}
