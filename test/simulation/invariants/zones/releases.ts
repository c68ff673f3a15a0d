import type { Desired } from '../../../../lib/nodes/desired/desired.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { nobody } from '../../../../lib/zones/map/rows/slots.ts';
import { loadPins, nowOf, type Pins } from '../../../../lib/zones/pins/pins.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { handoversOf, nodeSteps } from '../rows.ts';
import { ownersMoved, standingIn, type ZoneStep, ZoneTruth } from './zone-truth.ts';

const serving = new Set(['up', 'suspect', 'draining', 'held', 'quarantined']);

/** Clients that are moved while their node works notice nothing by themselves for hours. */
export const releases: Invariant = {
  name: 'whoever-loses-slots-is-told',
  says: 'a node that loses slots while it serves is ordered to release exactly those in the same commit, and whoever is on it if those go who are pinned to it softly; in the end it has carried that out',
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
          // Who is vouched for has no agent that carries anything out.
          release.length > 0 && nodes.get(node)?.status === 'up' && !nodes.get(node)?.vouched
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
  const isTold = (index: number): boolean => index !== nobody && !taken.has(index) && serving.has(standingIn(step.after, index));
  for (const { slot, from } of ownersMoved(step)) if (isTold(from)) lost.set(from, [...(lost.get(from) ?? []), slot]);
  const ordersOf = (index: number): Desired['release'] => {
    const node = step.after.members[index]!.node;
    const written = changes.find(({ after: { key } }) => key.sk === 'desired' && nodeOf(key.pk) === node)?.after.body as
      | Desired
      | undefined;
    return written?.release.filter(({ mapVersion }) => mapVersion === step.after.head.version) ?? [];
  };
  const ofSlots = [...lost].flatMap(([index, slots]) => {
    const order = ordersOf(index).find(({ zoneSlots }) => zoneSlots !== 1);
    if (!order) return [`node ${index} lost ${slots.length} slots and is not told`];
    return [...order.slots].sort((a, b) => a - b).join() === slots.join()
      ? []
      : [`node ${index} lost ${slots.join()} and is told ${order.slots.join()}`];
  });
  const ofPins = letGoIn(changes).filter((index) => isTold(index) && !ordersOf(index).some(({ zoneSlots }) => zoneSlots === 1));
  return [...ofSlots, ...ofPins.map((index) => `node ${index} lost who is pinned to it softly and is not told`)];
}

/** The nodes, by index, whose softly pinned client systems go by their slots from this commit on. */
function letGoIn(changes: readonly Committed[]): number[] {
  const row = changes.find(({ after }) => after.key.sk.startsWith('pins#'));
  if (!row?.before || row.before.gone || row.after.gone) return [];
  const before = loadPins(row.before.body as Pins);
  return (row.after.body as Pins).nodes.flatMap((one) => {
    const was = before.get(one.index);
    return was && was.awayAt === undefined && one.awayAt !== undefined && one.soft > 0 ? [nowOf(one)] : [];
  });
}
