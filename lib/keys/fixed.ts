import { agesOf, type KeyRing, rotatedRing } from './key-ring.ts';
import type { Keys, TokenKey } from './keys.ts';

/** Keys in memory, for tests and the simulation: the one that signs, and older ones that still verify. They change only when rotated. */
export function fixedKeys(current: TokenKey, ...older: readonly TokenKey[]): Keys {
  let ring: KeyRing = { current, all: new Map([...older, current].map((key) => [key.id, key])), since: new Map() };
  return {
    current: async () => ring.current,
    byId: async (id) => ring.all.get(id),
    known: (id) => ring.all.get(id),
    ages: async () => agesOf(ring),
    rotate: async (next) => {
      const rotated = rotatedRing(ring, next);
      if (!rotated) return undefined;
      const { ring: now, ...rotation } = rotated;
      ring = now;
      return rotation;
    },
  };
}
