import type { Part } from './part.ts';
import { documentsMax } from './segment.ts';

/**
 * So many parts of one tier become one of the next: with four, a document is merged some six times on its way to a
 * million.
 */
const partsOfTier = 4;

/**
 * The parts to merge next; none if all is well. Parts are of tiers by their size, each four times as large as the one
 * before, and the smallest tier that is full comes first. A part of which half is left out is merged by itself.
 */
export function nextMerge(parts: readonly Part[], sealAt: number): readonly Part[] {
  const tiers = Map.groupBy(parts, ({ left }) => Math.max(0, Math.floor(Math.log(Math.max(1, left / sealAt)) / Math.log(partsOfTier))));
  for (const [, tier] of [...tiers].sort(([a], [b]) => a - b)) {
    const fitting = fittingOf(tier);
    if (tier.length >= partsOfTier && fitting.length > 1) return fitting;
  }
  const thin = parts.find(({ left, segment }) => segment.size >= sealAt && left * 2 < segment.size);
  return thin ? [thin] : [];
}

/** The smallest parts of a tier that fit into one segment. */
function fittingOf(tier: readonly Part[]): Part[] {
  let documents = 0;
  return tier
    .toSorted((a, b) => a.left - b.left)
    .filter(({ left }) => {
      documents += left;
      return documents <= documentsMax;
    });
}
