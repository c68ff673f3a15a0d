import type { Explanation } from '../../api/views.ts';
import { flapMax, flapScore } from '../../nodes/flap.ts';
import type { Node } from '../../nodes/node.ts';
import type { EpochMs } from '../../units.ts';

/** What of the guard-rails bears on one node beside its last decision. */
export const rulesOf = (node: Node, now: EpochMs): Explanation['also'] => [...flapsOf(node, now)];

/** How often it was lost of late, and what that means for how long it may be silent (guard-rail 11). */
function flapsOf({ flap }: Node, now: EpochMs): Explanation['also'] {
  const score = flapScore(flap, now);
  if (!flap || score < 0.1) return [];
  const told = `flap score ${score.toFixed(1)}: it was lost and came back of late, and may be silent for ${(1 + score).toFixed(1)} times its lease`;
  return [{ subject: 'rule 11', because: `${told}; above ${flapMax} it is quarantined`, at: new Date(flap.at).toISOString() }];
}
