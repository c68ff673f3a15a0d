import { generationAt } from '../../../lib/zones/roster.ts';
import type { Invariant } from './invariant.ts';
import { nodeSteps, told } from './rows.ts';
import { indexesOf, standingIn, ZoneTruth } from './zone-truth.ts';

/** Tokens and what clients were told name an index and a generation for days: nobody else may ever answer to them. */
export const memberships: Invariant = {
  name: 'an-index-is-one-membership',
  says: 'an index of a zone belongs to one node at one generation for ever, and one that was dropped stays so',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    const holders = new Map<string, string>();
    const hold = (index: string, holder: string): void => {
      const known = holders.get(index) ?? holder;
      if (known !== holder) violated(`${index} belonged to ${known} and now to ${holder}`);
      holders.set(index, known);
    };
    return {
      committed: (changes) => {
        for (const step of nodeSteps(changes)) {
          const { before, after, id } = step;
          if (after?.index !== undefined) hold(`${after.zone}/${after.index}`, `${id} ${after.generation}`);
          if (before?.index !== undefined && after?.index !== before.index && before.status !== 'dropped')
            violated(`${told(step)} and lost index ${before.index}`);
        }
        const step = truth.take(changes);
        if (!step) return;
        const { before, after, name } = step;
        for (const index of indexesOf(after)) {
          const node = after.members[index]?.node;
          if (node) hold(`${name}/${index}`, `${node} ${generationAt(after.head.roster, index)}`);
          if (before && standingIn(before, index) === 'dropped' && standingIn(after, index) !== 'dropped')
            violated(`index ${index} of ${name} went from dropped to ${standingIn(after, index)}`);
        }
      },
    };
  },
};
