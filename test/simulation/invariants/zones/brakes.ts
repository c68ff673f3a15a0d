import type { EpochMs } from '../../../../lib/core/time.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { ZoneHead } from '../../../../lib/zones/zone.ts';
import type { Invariant } from '../invariant.ts';
import { leaseMs } from '../nodes/lease-given.ts';
import { isGivenUp, isMember, isTakenIn, type NodeStep, nodeSteps, skewMs, told } from '../rows.ts';

/**
 * The members of one zone, and none that an operator has replaced. Whom the roster is just about to take in counts
 * while it is heard: a plan finds it by the index of what is due alone, so that it may know nothing of its silence.
 */
const membersOf = (nodes: ReadonlyMap<string, Node>, zone: string, at: EpochMs): Node[] =>
  [...nodes.values()]
    .filter((node) => node.zone === zone && isMember(node) && node.replacedBy === undefined)
    .filter((node) => isTakenIn(node) || !isSilent(node, at));

/**
 * Nobody has heard of it for a whole lease: what a plan looked at was as silent, however long its environment stood
 * still. Plans count a node from half of its lease on, but one that returns from down not before its end, and each by
 * its own clock.
 */
const isSilent = (node: Node, at: EpochMs): boolean => {
  const isAway = node.status === 'leaving' && node.leaving.mode === 'hold';
  const returns = node.status === 'down' && node.returning !== undefined;
  return !isAway && at - (node.heardAt ?? node.joinedAt) > leaseMs + (returns ? skewMs : 0);
};

/** An operator has said of it that it is lost, and it is: nobody is held for it. */
const isCalmed = (node: Node, calmedAt: EpochMs | undefined, at: EpochMs): boolean =>
  calmedAt !== undefined && isSilent(node, at) && (node.heardAt ?? node.joinedAt) + leaseMs <= calmedAt + skewMs;

/**
 * When a whole zone is silent it is the line to it, or we: whoever gives its nodes up makes every client system an
 * orphan for nothing.
 */
export const brakes: Invariant = {
  name: 'who-falls-silent-together-is-held',
  says: 'a plan gives up no node for its silence while nobody in its zone is heard, nor while at least 55 % of three and more are not, but for those of whom an operator has said so',
  begin: ({ violated }) => {
    const nodes = new Map<string, Node>();
    const calmed = new Map<string, EpochMs>();
    const check = (step: NodeStep): void => {
      const { zone } = step.after!;
      if (isCalmed(step.before!, calmed.get(zone), step.at)) return;
      const members = membersOf(nodes, zone, step.at).filter((node) => !isCalmed(node, calmed.get(zone), step.at));
      const silent = members.filter((node) => isSilent(node, step.at)).length;
      const isDark = silent === members.length && silent > 0;
      const isOutage = members.length >= 3 && silent >= 0.55 * members.length;
      if (isDark || isOutage) violated(`${told(step)} while ${silent} of ${members.length} nodes were silent`);
    };
    return {
      committed: (changes) => {
        const steps = nodeSteps(changes);
        for (const step of steps) if (isGivenUp(step)) check(step);
        for (const { after } of changes) {
          if (after.key.sk !== 'head') continue;
          const { name, brakes: now } = after.body as ZoneHead;
          if (now.calmedAt !== undefined) calmed.set(name, now.calmedAt);
        }
        for (const { id, after } of steps) {
          if (after) nodes.set(id, after);
          else nodes.delete(id);
        }
      },
    };
  },
};

/**
 * Whether a zone may hold whoever is silent in it for as long as it lasts: nobody is heard, or of three and more at
 * least 55 % are not. A node counts as silent once half of its lease is gone, which is when the brakes may count it.
 */
export function isOutage(members: readonly { readonly status: string; readonly heardAt: EpochMs }[], at: EpochMs): boolean {
  const silent = members.filter(({ status, heardAt }) => status === 'suspect' || status === 'down' || at - heardAt > leaseMs / 2).length;
  return silent === members.length || (members.length >= 3 && silent >= 0.55 * members.length);
}
