import * as z from 'zod';
import { intervalMsOfLease, overdueMsOf } from '../../core/lease.ts';
import { EpochMs, plusMs } from '../../core/time.ts';

/**
 * A client system that says that its node does not answer: the head of its fingerprint, the network that it knocked
 * from (never its whole address), and when.
 */
export const Miss = z.strictObject({ by: z.string(), from: z.string(), at: EpochMs });
export type Miss = z.infer<typeof Miss>;

/** So many client systems from so many networks are believed when they say that their node is lost. */
export const missesNeeded = 3;
export const networksNeeded = 2;
/** Votes of one network that are kept: however many keys somebody has in it, another network must say so, too. */
export const missesPerNetwork = 2;
/**
 * Votes that a node's row ever holds. With two of a network at the most, the third from elsewhere says all that is
 * needed.
 */
export const missesMax = 8;
/**
 * And they are believed only of a node that was silent itself for so many intervals: one that is late by its jitter is
 * not.
 */
const silentIntervals = 1.5;

/** Of a node's row what the votes are counted by. */
type Missed = { readonly missed?: readonly Miss[] | undefined; readonly heardAt?: EpochMs | undefined; readonly joinedAt: EpochMs };

/**
 * The votes that count: those from after the node was last heard. A word of its own outweighs all that were said before
 * it.
 */
export const missesOf = ({ missed, heardAt, joinedAt }: Missed): readonly Miss[] =>
  (missed ?? []).filter(({ at }) => at > (heardAt ?? joinedAt));

/** From how many networks votes came. */
export const networksOf = (misses: readonly Miss[]): number => new Set(misses.map(({ from }) => from)).size;

/** Whether these votes are believed. */
export const isMissed = (misses: readonly Miss[]): boolean => misses.length >= missesNeeded && networksOf(misses) >= networksNeeded;

/**
 * When a node that is not heard until then is suspect before its lease runs out, because its clients miss it, too;
 * undefined while too few do.
 */
export function missedEarlyAt(node: Missed & { readonly leaseUntil: EpochMs }): EpochMs | undefined {
  if (!isMissed(missesOf(node))) return undefined;
  const since = node.heardAt ?? node.joinedAt;
  const leaseMs = node.leaseUntil - since;
  return plusMs(since, Math.round(Math.max(silentIntervals * intervalMsOfLease(leaseMs), overdueMsOf(leaseMs))));
}

/** What of the votes is left once a node was heard at a moment: those that came after it. */
export function missedSince({ missed }: Missed, heardAt: EpochMs): { missed?: Miss[] } {
  const left = (missed ?? []).filter(({ at }) => at > heardAt);
  return left.length > 0 ? { missed: left } : {};
}

/** Who does not reach a node, in words for people. */
export function toldMisses(misses: readonly Miss[]): string {
  const who = misses.map(({ by, from }) => `${by}… in ${from}`).join(', ');
  return `its client systems do not reach it: ${misses.length} in ${networksOf(misses)} networks say so (${who})`;
}
