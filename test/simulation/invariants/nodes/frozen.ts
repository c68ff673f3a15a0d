import type { Invariant } from '../invariant.ts';
import { told } from '../rows.ts';
import { ownersMoved, ZoneTruth } from '../zones/zone-truth.ts';

/** An operator who freezes a zone knows something that we do not; whom he has replaced is out by his word. */
export const frozen: Invariant = {
  name: 'what-is-frozen-stays',
  says: 'no slot moves while the moves of its zone are frozen, and no node is given up for its silence while expiry is, unless an operator says so',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    return {
      committed: (changes) => {
        const step = truth.take(changes);
        const freeze = step?.before?.head.brakes.freeze;
        if (!step || freeze === undefined || step.after.head.brakes.freeze !== freeze) return;
        if (freeze !== 'expiry' && ownersMoved(step).length > 0)
          violated(`${ownersMoved(step).length} slots of ${step.name} moved while they were frozen`);
        if (freeze === 'moves') return;
        const lost = step.nodes.find(
          ({ before, after }) => after?.status === 'down' && before?.status !== 'down' && before?.replacedBy === undefined,
        );
        if (lost) violated(`${told(lost)} while expiry was frozen`);
      },
    };
  },
};
