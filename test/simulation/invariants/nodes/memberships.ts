import { generationAt } from '../../../../lib/zones/map/rows/roster.ts';
import type { Invariant } from '../invariant.ts';
import { type Handover, handoversOf, nodeSteps, told } from '../rows.ts';
import { FormerZones } from '../zones/former-zones.ts';
import { indexesOf, standingIn, type ZoneStep, ZoneTruth } from '../zones/zone-truth.ts';

/** Tokens and what clients were told name an index and a generation for days: nobody else may ever answer to them. */
export const memberships: Invariant = {
  name: 'an-index-is-one-membership',
  says: 'an index of a zone belongs to one node at one generation for ever, and one that was dropped stays so, unless its replacement takes the place over at a generation that nobody had there',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    const holders = new Map<string, string>();
    const former = new FormerZones();
    /** A zone that was made anew has indexes of its own. */
    const forget = (zone: string): void => {
      for (const index of holders.keys()) if (index.startsWith(`${zone}/`)) holders.delete(index);
    };
    const hold = (index: string, holder: string): void => {
      const known = holders.get(index) ?? holder;
      if (known !== holder) violated(`${index} belonged to ${known} and now to ${holder}`);
      holders.set(index, known);
    };
    const handOver = ({ index, old, by }: Handover): void => {
      if (by.after!.generation <= old.before!.generation) violated(`${told(by)} with a generation of index ${index} that was another's`);
      holders.delete(`${old.before!.zone}/${index}`);
    };
    const checkRoster = ({ before, after, name }: ZoneStep, handovers: readonly Handover[]): void => {
      for (const index of indexesOf(after)) {
        const node = after.members[index]?.node;
        if (node) hold(`${name}/${index}`, `${node} ${generationAt(after.head.roster, index)}`);
        const isBack = before && standingIn(before, index) === 'dropped' && standingIn(after, index) !== 'dropped';
        if (isBack && !handovers.some((one) => one.index === index))
          violated(`index ${index} of ${name} went from dropped to ${standingIn(after, index)}`);
      }
    };
    return {
      committed: (changes) => {
        for (const zone of former.take(changes)) forget(zone);
        const steps = nodeSteps(changes);
        const handovers = handoversOf(steps);
        for (const handover of handovers) handOver(handover);
        for (const step of steps) {
          const { before, after, id } = step;
          if (after?.index !== undefined && !former.has(after)) hold(`${after.zone}/${after.index}`, `${id} ${after.generation}`);
          const isLost = before?.index !== undefined && after?.index !== before.index && before.status !== 'dropped';
          if (isLost && !handovers.some(({ old, by }) => old === step || by === step))
            violated(`${told(step)} and lost index ${before.index}`);
        }
        const zone = truth.take(changes);
        if (zone) checkRoster(zone, handovers);
      },
    };
  },
};
