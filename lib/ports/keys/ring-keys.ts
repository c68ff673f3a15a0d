import { agesOf, type KeyRing, type Rotate, rotatedRing } from './key-ring.ts';
import type { Keys } from './keys.ts';

/**
 * Keys of a ring in memory, for a process that is the only user of the ring. A rotation counts once `keep` has
 * returned, and not at all if it throws.
 */
export function ringKeys(first: KeyRing, keep: (ring: KeyRing) => void = () => {}, rotate: Rotate = rotatedRing): Keys {
  let ring = first;
  return {
    current: async () => ring.current,
    byId: async (id) => ring.all.get(id),
    known: (id) => ring.all.get(id),
    ages: async () => agesOf(ring),
    rotate: async (next) => {
      const rotated = rotate(ring, next);
      if (!rotated) return undefined;
      const { ring: now, ...rotation } = rotated;
      keep(now);
      ring = now;
      return rotation;
    },
  };
}
