import { admitted, type Standing, standings } from './standing.ts';

/**
 * Three bytes a node, by index: standing u8, generation u16. Mostly under 4 KB, so that a reader's refresh is one unit.
 */
const entryBytes = 3;
/** A zone has at most this many nodes over its lifetime: 65,535 in a u16 means no node, so there is no index 65,535. */
export const nodesMax = 65_534;

/** How many nodes the zone has had over its lifetime. */
export const rosterSize = (roster: Uint8Array): number => roster.length / entryBytes;
/** The stored standing of a node; 0 (none) for an index that was never given. */
export const standingAt = (roster: Uint8Array, index: number): number => roster[index * entryBytes] ?? 0;
/** The generation of a node; 0 for an index that was never given. */
export const generationAt = (roster: Uint8Array, index: number): number =>
  ((roster[index * entryBytes + 1] ?? 0) << 8) | (roster[index * entryBytes + 2] ?? 0);

/** How many nodes of the zone have joined and were not given up. */
export function admittedIn(roster: Uint8Array): number {
  let nodes = 0;
  for (let index = 0; index < rosterSize(roster); index++) if (admitted(standingAt(roster, index))) nodes++;
  return nodes;
}

/** A copy of the roster with one node's entry set; grows it when the index is the next one. */
export function withEntry(roster: Uint8Array, index: number, standing: Standing, generation: number): Uint8Array {
  const next = new Uint8Array(Math.max(roster.length, (index + 1) * entryBytes));
  next.set(roster);
  next.set([standings[standing], (generation >> 8) & 0xff, generation & 0xff], index * entryBytes);
  return next;
}
