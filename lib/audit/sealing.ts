import type { EpochMs } from '../core/time.ts';
import { type ChainName, dayOf } from './chain.ts';
import type { SealKey } from './seal.ts';

/** Since when a key is there, when that is known. */
type KeyAge = { readonly since?: EpochMs };

/**
 * What the audit is verified by: all its keys, by id, and the day on which it was given the first one, where that is
 * known.
 */
export type Sealing = { readonly keys: ReadonlyMap<number, SealKey>; readonly since?: string };

/** The sealing by these keys; `ages` of all of them, the newest first. */
export function sealingBy(keys: readonly SealKey[], ages: readonly KeyAge[]): Sealing {
  const since = ages.at(-1)?.since;
  return { keys: new Map(keys.map((key) => [key.id, key])), ...(since !== undefined && { since: dayOf(since) }) };
}

/**
 * Whether what is of a chain must be sealed. On the day of the first key it need not be: entries of before are in the
 * same chain, and the version before may still have served. Without a day that is known everything must.
 */
export const isDue = ({ since }: Sealing, { day }: Pick<ChainName, 'day'>): boolean => since === undefined || day > since;
