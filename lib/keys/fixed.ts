import type { Keys, TokenKey } from './keys.ts';

/** Keys that never change, for tests and the simulation: the one that signs, and older ones that still verify. */
export const fixedKeys = (current: TokenKey, ...older: readonly TokenKey[]): Keys => ({
  current: async () => current,
  byId: async (id) => [current, ...older].find((key) => key.id === id),
});
