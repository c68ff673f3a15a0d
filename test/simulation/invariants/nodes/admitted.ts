import type { Deployment } from '../../../../lib/deployment/deployment.ts';
import type { Invariant } from '../invariant.ts';
import { indexesOf, standingIn, ZoneTruth } from '../zones/zone-truth.ts';

/** Nodes beat as often as their number allows: a wrong number overloads the doors, or makes a loss be noticed late. */
export const admittedNodes: Invariant = {
  name: 'the-deployment-counts-its-nodes',
  says: 'in the end the deployment counts as many admitted nodes in each zone as its roster has',
  begin: () => {
    const truth = new ZoneTruth();
    let counted: Deployment = { admitted: {} };
    return {
      committed: (changes) => {
        truth.take(changes);
        for (const { after } of changes) if (after.key.sk === 'deployment') counted = after.body as Deployment;
      },
      unrest: () =>
        [...truth.zones].flatMap(([name, zone]) => {
          const nodes = indexesOf(zone).filter((index) => !['none', 'dropped'].includes(standingIn(zone, index))).length;
          const known = counted.admitted[name] ?? 0;
          return known === nodes ? [] : [`${name} has ${nodes} admitted nodes, and the deployment counts ${known}`];
        }),
    };
  },
};
