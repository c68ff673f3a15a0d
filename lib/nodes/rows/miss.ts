import * as z from 'zod';
import { intervalMsOfLease, overdueMsOf } from '../../core/lease.ts';
import { EpochMs, plusMs } from '../../core/time.ts';

/**
 * A client system's report that its node does not answer: the head of its fingerprint, the network that it knocked from
 * (never its whole address), and when.
 */
export const Miss = z.strictObject({ by: z.string(), from: z.string(), at: EpochMs });
export type Miss = z.infer<typeof Miss>;

/** The number of client systems, and of their networks, that are believed when they report their node lost. */
export const missesNeeded = 3;
export const networksNeeded = 2;
/** Votes of one network that are stored: however many keys an attacker has in it, another network must agree. */
export const missesPerNetwork = 2;
/** The most votes that a node's row holds. With at most two of one network, the third from elsewhere decides. */
export const missesMax = 8;
/**
 * Votes are believed only about a node that was silent itself for this many intervals: one heartbeat that is late by
 * its jitter does not suffice.
 */
const silentIntervals = 1.5;

/** The fields of a node's row by which votes are counted. */
type Missed = { readonly missed?: readonly Miss[] | undefined; readonly heardAt?: EpochMs | undefined; readonly joinedAt: EpochMs };

/** The votes that count: those from after the node was last heard. A sign of life outweighs all votes before it. */
export const missesOf = ({ missed, heardAt, joinedAt }: Missed): readonly Miss[] =>
  (missed ?? []).filter(({ at }) => at > (heardAt ?? joinedAt));

/** From how many networks votes came. */
export const networksOf = (misses: readonly Miss[]): number => new Set(misses.map(({ from }) => from)).size;

/** Whether these votes are believed. */
export const isMissed = (misses: readonly Miss[]): boolean => misses.length >= missesNeeded && networksOf(misses) >= networksNeeded;

/**
 * When a node that stays silent is suspect before its lease runs out, because its clients miss it, too; undefined while
 * too few do.
 */
export function missedEarlyAt(node: Missed & { readonly leaseUntil: EpochMs }): EpochMs | undefined {
  if (!isMissed(missesOf(node))) return undefined;
  const since = node.heardAt ?? node.joinedAt;
  const leaseMs = node.leaseUntil - since;
  return plusMs(since, Math.round(Math.max(silentIntervals * intervalMsOfLease(leaseMs), overdueMsOf(leaseMs))));
}

/** The votes that are left once a node was heard at a moment: those that came after it. */
export function missedSince({ missed }: Missed, heardAt: EpochMs): { missed?: Miss[] } {
  const left = (missed ?? []).filter(({ at }) => at > heardAt);
  return left.length > 0 ? { missed: left } : {};
}

/** The client systems that cannot reach a node, as text. */
export function missesText(misses: readonly Miss[]): string {
  const who = misses.map(({ by, from }) => `${by}… in ${from}`).join(', ');
  const networks = networksOf(misses);
  return `its client systems cannot reach it: ${misses.length} in ${networks} network${networks === 1 ? '' : 's'} report this (${who})`;
}
