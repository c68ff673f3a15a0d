import type { Node } from '../../../../lib/nodes/node.ts';
import { movesFrozen } from '../../../../lib/zones/guardrails/guardrails.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';
import { metOld } from '../versions.ts';
import { indexesOf, slotsOf, standingIn, type ZoneState, type ZoneStep, ZoneTruth } from './zone-truth.ts';

/** An operator who gives a node up has waited for a budget long enough. */
export const givenUp: Invariant = {
  name: 'who-is-given-up-by-order-keeps-nothing',
  says: 'a node that an operator gave up has no slot left after the plan that carries it out, unless moves are frozen, no node takes slots or has room, or the commit was full and the next plan is due at once',
  begin: ({ violated, world }) => {
    const truth = new ZoneTruth();
    const isOld = metOld(world);
    /** Indexes that were given up by order, by zone. */
    const ordered = new Map<string, Set<number>>();
    return {
      committed: (changes) => {
        const step = truth.take(changes);
        if (!step) return;
        const all = ordered.get(step.name) ?? new Set<number>();
        for (const index of givenUpIn(step)) all.add(index);
        ordered.set(step.name, all);
        if (isOld() || isHeldBack(step)) return;
        const owned = slotsOf(step.after);
        for (const index of all)
          if (standingIn(step.after, index) === 'dropped' && owned.has(index))
            violated(
              `${step.name} at version ${step.after.head.version}: ${owned.get(index)} slots are left with ${index}, which an operator gave up`,
            );
      },
    };
  },
};

/** Whose row said that an operator gives it up, and says that it is dropped now. */
const givenUpIn = ({ nodes }: ZoneStep): number[] =>
  nodes.flatMap(({ before, after }) =>
    after?.status === 'dropped' && after.index !== undefined && isOrdered(before) ? [after.index] : [],
  );

const isOrdered = (node: Node | undefined): boolean => node !== undefined && 'ordered' in node && node.ordered === 'drop';

/**
 * Whether something else than a budget keeps slots where they are. Whoever writes the head besides a plan moves none:
 * it is due at once.
 */
function isHeldBack({ at, before, after, nodes }: ZoneStep): boolean {
  const { head } = after;
  const { lookAt = Number.POSITIVE_INFINITY } = head.budgets;
  const isPlan = nodes.length > 0 || before?.map !== after.map;
  return !isPlan || movesFrozen(head) || head.crowded !== undefined || lookAt <= at + skewMs || !takesSlots(after);
}

const takesSlots = (zone: ZoneState): boolean => indexesOf(zone).some((index) => standingIn(zone, index) === 'up');
