import { type EpochMs, minuteMs } from '../../../../lib/core/time.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { leaseMs } from '../nodes/lease-given.ts';
import { isGivenUp, isMember, isTakenIn, type NodeStep, nodeSteps, told } from '../rows.ts';

/**
 * Nobody is given up for so long who fell silent with others: well within the quarter of an hour that it is excused
 * for.
 */
const heldForMs = 5 * minuteMs;
/** For so long after a disruption has ended its remainder is given up. */
const remainderMs = 30 * minuteMs;

const heardAt = (node: Node): EpochMs => node.heardAt ?? node.joinedAt;
const rackOf = ({ labels }: Node): string | undefined => labels['rack'];

/**
 * It was heard no more for a whole lease, which is twice what a plan needs to count it, and is neither away on purpose
 * nor back.
 */
const isSilent = (node: Node, at: EpochMs): boolean => {
  const isAway = node.status === 'leaving' && node.leaving.mode === 'hold';
  return !isAway && node.status !== 'down' && at - heardAt(node) > leaseMs;
};

/** Nodes that are silent at once have something in common, which is not that all of them died. */
export const together: Invariant = {
  name: 'a-part-or-a-rack-that-falls-silent-is-held',
  says: 'a plan gives up no node within five minutes of its last word that fell silent with others, while at least 15 % and three are, or with all of its rack',
  begin: ({ violated }) => {
    const nodes = new Map<string, Node>();
    let calmAt: number = Number.NEGATIVE_INFINITY;
    return {
      committed: (changes) => {
        calmAt = changes.find(isCalming)?.at ?? calmAt;
        const steps = nodeSteps(changes);
        for (const step of steps) {
          const lost = lostBy(step);
          const why = lost && step.at - calmAt >= remainderMs ? whyHeld(lost, [...nodes.values()], step.at) : undefined;
          if (why) violated(`${told(step)} while ${why}`);
        }
        for (const { id, after } of steps) {
          if (after) nodes.set(id, after);
          else nodes.delete(id);
        }
      },
    };
  },
};

const isCalming = ({ after }: Committed): boolean => after.events.some(({ type }) => type === 'zone.calm');

/** The node that a plan gives up soon after its last word. */
function lostBy(step: NodeStep): Node | undefined {
  const { before, at } = step;
  return before && isGivenUp(step) && at - heardAt(before) <= heldForMs ? before : undefined;
}

function whyHeld(lost: Node, nodes: readonly Node[], at: EpochMs): string | undefined {
  // A plan may know nothing of the silence of whom its roster has not taken in.
  const isKnown = (node: Node): boolean => isTakenIn(node) || !isSilent(node, at);
  const members = nodes.filter((node) => node.zone === lost.zone && isMember(node) && isKnown(node));
  const silent = members.filter((node) => isSilent(node, at));
  const with_ = silent.filter((node) => Math.abs(heardAt(node) - heardAt(lost)) <= leaseMs / 2);
  if (with_.length >= 3 && silent.length >= 0.15 * members.length) return `${with_.length} of ${members.length} had fallen silent together`;
  const rack = rackOf(lost);
  const mates = members.filter((node) => rack !== undefined && rackOf(node) === rack);
  const isDark = mates.length >= 2 && mates.length < members.length && mates.every((node) => with_.includes(node));
  return isDark ? `all ${mates.length} nodes of rack ${rack} had fallen silent` : undefined;
}
