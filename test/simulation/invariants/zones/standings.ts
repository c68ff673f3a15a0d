import type { Node } from '../../../../lib/nodes/node.ts';
import { generationAt } from '../../../../lib/zones/map/rows/roster.ts';
import type { Standing } from '../../../../lib/zones/map/rows/standing.ts';
import type { Invariant } from '../invariant.ts';
import { handoversOf, isMember, isPlanned, type NodeStep, nodeSteps, told } from '../rows.ts';
import { FormerZones } from './former-zones.ts';
import { indexesOf, standingIn, type ZoneState, type ZoneStep, ZoneTruth } from './zone-truth.ts';

/**
 * Clients see only the roster, nodes only their rows: they may differ only while a row says that the roster must
 * follow.
 */
export const standings: Invariant = {
  name: 'roster-and-rows-agree',
  says: 'a node stands in the roster as its row says unless the row awaits the plan; down, dropped and back from down are written by a plan together with the head',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    const nodes = new Map<string, Node>();
    const former = new FormerZones();
    const check = (node: Node, planned: boolean): void => {
      if (former.has(node)) return;
      const why = whyNot(node, truth.zones.get(node.zone), planned);
      if (why) violated(`${node.id.slice(0, 8)} is ${node.status} and ${why}`);
    };
    const checkMoved = ({ before, after, nodes: steps }: ZoneStep): void => {
      const left = handoversOf(steps).map(({ by }) => by.before?.index);
      for (const index of before ? indexesOf(after) : []) {
        const standing = standingIn(after, index);
        if (standingIn(before!, index) === standing || (standing === 'none' && left.includes(index))) continue;
        const node = nodes.get(after.members[index]?.node ?? '');
        if (!node) violated(`index ${index} became ${standing} and is nobody`);
        // The node that had the index may have come back as another member since.
        else if (node.index === undefined || node.index === index) check(node, true);
      }
    };
    return {
      committed: (changes) => {
        former.take(changes);
        const zone = truth.take(changes);
        const steps = nodeSteps(changes);
        for (const step of steps) {
          if (step.after) nodes.set(step.id, step.after);
          else nodes.delete(step.id);
          const withHead = isPlanned(step) && zone?.before?.head.roster !== zone?.after.head.roster;
          if (needsHead(step) && !withHead) violated(`${told(step)} without the roster`);
        }
        for (const step of steps) if (step.after) check(step.after, isPlanned(step));
        if (zone) checkMoved(zone);
      },
      unrest: () =>
        [...nodes.values()].flatMap((node) => {
          const why = former.has(node) ? undefined : whyNot(node, truth.zones.get(node.zone), true);
          const waits = node.awaitsPlan || ('ordered' in node && node.ordered) ? 'waits for the plan' : why;
          return waits ? [`${node.id.slice(0, 8)} is ${node.status} and ${waits}`] : [];
        }),
    };
  },
};

const needsHead = ({ before, after }: NodeStep): boolean =>
  before?.status !== after?.status && (after?.status === 'down' || after?.status === 'dropped' || before?.status === 'down');

function whyNot(node: Node, zone: ZoneState | undefined, planned: boolean): string | undefined {
  // A plan that takes slots from a node which it does not follow writes into its row what it must release; the row
  // awaits the next plan all the same.
  if (node.awaitsPlan || (!planned && node.status === 'suspect')) return undefined;
  if (node.index === undefined) return isMember(node) ? 'has no index' : undefined;
  if (!zone) return `in no zone`;
  const standing = standingIn(zone, node.index);
  const generation = generationAt(zone.head.roster, node.index);
  if (standing !== standingFor(node)) return `stands there as ${standing}`;
  return generation === node.generation ? undefined : `of generation ${node.generation}, and stands there with ${generation}`;
}

const standingFor = (node: Node): Standing => {
  if (node.status === 'absent' || node.status === 'waiting') return 'none';
  if (node.status === 'leaving') return node.leaving.mode === 'drain' ? 'draining' : 'held';
  return node.status;
};
