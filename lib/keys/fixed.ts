import type { Keys, TokenKey } from './keys.ts';
import { ringKeys } from './ring-keys.ts';

/** Keys in memory, for tests and the simulation: the one that signs, and older ones that still verify. They change only when rotated. */
export const fixedKeys = (current: TokenKey, ...older: readonly TokenKey[]): Keys =>
  ringKeys({ current, all: new Map([...older, current].map((key) => [key.id, key])), since: new Map() });
