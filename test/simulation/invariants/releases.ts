import type { Desired } from '../../../lib/desired/desired.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { nobody } from '../../../lib/zones/slots.ts';
import type { Committed } from '../watching.ts';
import type { Invariant } from './invariant.ts';
import { handoversOf, nodeSteps } from './rows.ts';
import { ownersMoved, standingIn, type ZoneStep, ZoneTruth } from './zone-truth.ts';

const serving = new Set(['up', 'suspect', 'draining', 'held', 'quarantined']);

/** Clients that are moved while their node works notice nothing by themselves for hours. */
export const releases: Invariant = {
  name: 'whoever-loses-slots-is-told',
  says: 'a node that loses slots while it serves is ordered to release exactly those in the same commit, and in the end has carried it out',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    const orders = new Map<string, Desired>();
    const nodes = new Map<string, Node>();
    return {
      committed: (changes) => {
        for (const { after } of changes) if (after.key.sk === 'desired') orders.set(nodeOf(after.key.pk), after.body as Desired);
        for (const { id, after } of nodeSteps(changes)) if (after) nodes.set(id, after);
        const step = truth.take(changes);
        if (step) for (const wrong of wrongOrders(step, changes)) violated(`${step.name} at version ${step.after.head.version}: ${wrong}`);
      },
      unrest: () =>
        [...orders].flatMap(([node, { release }]) =>
          release.length > 0 && nodes.get(node)?.status === 'up'
            ? [`${node.slice(0, 8)} has still to release ${release.length} times`]
            : [],
        ),
    };
  },
};

const nodeOf = (pk: string): string => decodeURIComponent(pk.slice('node#'.length));

function wrongOrders(step: ZoneStep, changes: readonly Committed[]): string[] {
  const lost = new Map<number, number[]>();
  // Nobody is on a node that has just taken another's place.
  const taken = new Set(handoversOf(step.nodes).map(({ index }) => index));
  for (const { slot, from } of ownersMoved(step))
    if (!taken.has(from) && from !== nobody && serving.has(standingIn(step.after, from))) lost.set(from, [...(lost.get(from) ?? []), slot]);
  return [...lost].flatMap(([index, slots]) => {
    const node = step.after.members[index]!.node;
    const written = changes.find(({ after: { key } }) => key.sk === 'desired' && nodeOf(key.pk) === node)?.after.body as
      | Desired
      | undefined;
    const order = written?.release.find(({ mapVersion }) => mapVersion === step.after.head.version);
    if (!order) return [`node ${index} lost ${slots.length} slots and is not told`];
    return [...order.slots].sort((a, b) => a - b).join() === slots.join()
      ? []
      : [`node ${index} lost ${slots.join()} and is told ${order.slots.join()}`];
  });
}
