import type { EpochMs } from '../../core/time.ts';
import { grownRing, ringOfOne } from './key-ring.ts';
import type { Keys, TokenKey } from './keys.ts';
import { ringKeys } from './ring-keys.ts';

/**
 * Keys in memory, for tests and the simulation: the key that signs, and older keys that still verify. They change only
 * when rotated.
 */
export const fixedKeys = (current: TokenKey, ...older: readonly TokenKey[]): Keys =>
  ringKeys({ current, all: new Map([...older, current].map((key) => [key.id, key])), since: new Map() });

/** Keys in memory that are never retired: one key, and when it was made, if known. */
export const fixedSealKeys = (secret: Uint8Array, since?: EpochMs): Keys => ringKeys(ringOfOne(secret, since), undefined, grownRing);
