import type { Node } from '../../nodes/node.ts';
import { describeCrowded } from '../capacity/crowding.ts';
import type { ZoneHead } from '../zone.ts';
import { expiryFrozen, movesFrozen } from './guardrails.ts';
import { type ActiveRule, activeRules } from './view.ts';

/** A guard-rail that concerns an order to give a node up: the number of its rule, and its reason. */
export type GuardOfDrop = { readonly rule: number; readonly because: string };

/**
 * The guard-rails that an order to give a node up meets. `holds` would keep a silent node from being given up, and must
 * be overruled one by one. `stands` hold its client systems back once it is given up, and end by orders of their own.
 * Budgets are neither: the slots of a node that an operator gives up move at once.
 */
export function guardsOfDrop(head: ZoneHead, node: Node): { readonly holds: GuardOfDrop[]; readonly stands: GuardOfDrop[] } {
  const rules = activeRules(head.brakes);
  const isSilent = node.status === 'suspect' && node.ordered === undefined;
  const holds = rules.filter(({ rule, rack }) => {
    if (rule === 8) return rack === node.labels['rack'];
    return rule !== 16 || expiryFrozen(head);
  });
  return {
    holds: isSilent ? holds.map(named) : [],
    stands: [
      ...(movesFrozen(head) ? rules.filter(({ rule }) => rule === 16).map(named) : []),
      ...(head.crowded ? [{ rule: 15, because: describeCrowded(head.crowded) }] : []),
    ],
  };
}

const named = ({ rule, because }: ActiveRule): GuardOfDrop => ({ rule, because });
