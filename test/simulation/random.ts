/** A stream of numbers in [0, 1). */
export type Random = () => number;

/**
 * A stream that is the same for the same seed and name: mulberry32, 32 bits of state, good enough to draw histories by.
 */
export function randomOf(seed: number, name = ''): Random {
  let state = mixed(seed, name);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A 32-bit hash of a text that goes on from another one (FNV-1a). */
export function mixed(hash: number, text: string): number {
  let next = (hash ^ 0x811c9dc5) | 0;
  for (let i = 0; i < text.length; i++) next = Math.imul(next ^ text.charCodeAt(i), 0x01000193);
  return next;
}

/** A whole number from `low` to `high`, both included. */
export const between = (random: Random, low: number, high: number): number => low + Math.floor(random() * (high - low + 1));

/** One of the items, each as likely; undefined when there are none. */
export const oneOf = <T>(random: Random, items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];

/** How likely a kind of fault is: rare and frequent ones find different things. */
export const rateOf = (random: Random): number => oneOf(random, [0.01, 0.03, 0.1, 0.25])!;
