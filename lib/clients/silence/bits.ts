/*
 * Sets of places in a list, one bit each, the lowest bit first, as digests have them. A set ends with its last byte:
 * places beyond it are not in the set.
 */

/** Whether a place is in the set. */
export const has = (bits: Uint8Array, place: number): boolean => ((bits[place >> 3] ?? 0) & (1 << (place & 7))) !== 0;

/** The places in the set, in order. */
export function placesOf(bits: Uint8Array): number[] {
  const places: number[] = [];
  for (const [n, byte] of bits.entries()) for (let bit = 0; byte >> bit > 0; bit++) if ((byte >> bit) & 1) places.push(n * 8 + bit);
  return places;
}

/** A set of these places. */
export function bitsOf(places: Iterable<number>): Uint8Array {
  const all = [...places];
  const bits = new Uint8Array(all.length === 0 ? 0 : (all.reduce((most, place) => Math.max(most, place), 0) >> 3) + 1);
  for (const place of all) bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7));
  return bits;
}

/** The places that are in either set. */
export function union(one: Uint8Array, other: Uint8Array): Uint8Array {
  const bits = new Uint8Array(Math.max(one.length, other.length));
  for (const n of bits.keys()) bits[n] = (one[n] ?? 0) | (other[n] ?? 0);
  return bits;
}

/** The places of the first set that are in none of the others. */
export const without = (bits: Uint8Array, ...others: readonly Uint8Array[]): Uint8Array =>
  bits.map((byte, n) => byte & ~others.reduce((all, other) => all | (other[n] ?? 0), 0));

/** The number of places in the set. */
export function countOf(bits: Uint8Array): number {
  let count = 0;
  for (let byte of bits) for (; byte > 0; byte &= byte - 1) count++;
  return count;
}

/** Whether two sets hold the same places. */
export const isSameSet = (one: Uint8Array, other: Uint8Array): boolean =>
  countOf(without(one, other)) === 0 && countOf(without(other, one)) === 0;
