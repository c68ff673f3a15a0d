import type { EpochMs } from '../core/time.ts';
import { type ChainName, dayOf } from './chain.ts';
import type { SealKey } from './seal.ts';

/** Since when a key exists, if that is known. */
type KeyAge = { readonly since?: EpochMs };

/** The means to verify the audit: all its keys, by id, and the day of its first key, if that is known. */
export type Sealing = { readonly keys: ReadonlyMap<number, SealKey>; readonly since?: string };

/** The sealing by these keys; `ages` are those of all keys, the newest first. */
export function sealingBy(keys: readonly SealKey[], ages: readonly KeyAge[]): Sealing {
  const since = ages.at(-1)?.since;
  return { keys: new Map(keys.map((key) => [key.id, key])), ...(since !== undefined && { since: dayOf(since) }) };
}

/**
 * Whether the rows of a chain must be sealed. On the day of the first key they need not be: the chain also has earlier
 * entries, and the previous version may still have served. If the day is unknown, all must be sealed.
 */
export const isDue = ({ since }: Sealing, { day }: Pick<ChainName, 'day'>): boolean => since === undefined || day > since;
