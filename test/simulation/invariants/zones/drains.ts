import { releaseWaitMs } from '../../../../lib/nodes/node.ts';
import type { Invariant } from '../invariant.ts';
import { handoversOf, type NodeStep, nodeSteps, told } from '../rows.ts';
import { ownersMoved, standingIn, type ZoneState, type ZoneStep, ZoneTruth } from './zone-truth.ts';

const eventsOf = /^\/nodes\/([^/]+)\/events$/;
type Event = { readonly type: string; readonly data: { readonly mapVersion?: number } };

/** A drain ends when nobody needs the node any more, and not before. */
export const drains: Invariant = {
  name: 'a-drain-ends-when-nobody-is-left',
  says: 'a node is dropped as planned only as its replacement takes its place, or from a drain: without a slot and after its agent has released what the drain took, or after the wait',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    /** Map versions by node: the newest that its agent has released, the newest that took slots from its drain. */
    const released = new Map<string, number>();
    const taken = new Map<string, number>();
    const whyEarly = ({ id, before, row }: NodeStep, zone: ZoneState | undefined): string | undefined => {
      const leaving = before && 'leaving' in before ? before.leaving : undefined;
      if (leaving?.mode !== 'drain') return 'as planned, and did not drain';
      if (row.at >= leaving.since + releaseWaitMs) return undefined;
      const slots = zone?.map.owner.filter((owner) => owner === before!.index).length ?? 0;
      if (slots > 0) return `with ${slots} slots`;
      // Nobody can be told by a node that is silent.
      const isTold = before!.status === 'suspect' || (released.get(id) ?? -1) >= (taken.get(id) ?? -1);
      return isTold ? undefined : `before it released map version ${taken.get(id)}`;
    };
    return {
      asked: ({ path, sent }) => {
        const node = eventsOf.exec(path)?.[1];
        for (const { type, data } of node ? (sent as readonly Event[]) : [])
          if (type === 'node.released') released.set(node!, Math.max(released.get(node!) ?? 0, data.mapVersion ?? 0));
      },
      committed: (changes) => {
        const zone = truth.take(changes);
        const steps = nodeSteps(changes);
        const replaced = handoversOf(steps).map(({ old }) => old);
        for (const node of steps) {
          const { id, before, after } = node;
          const isOver = before?.status !== after?.status && after?.status === 'dropped' && after.planned && !replaced.includes(node);
          const why = isOver ? whyEarly(node, zone?.before) : undefined;
          if (why) violated(`${told(node)} ${why}`);
          if (after?.status === 'up' || after?.status === 'dropped') taken.delete(id);
        }
        if (zone) for (const node of drained(zone)) taken.set(node, zone.after.head.version);
      },
    };
  },
};

/** The nodes that slots were taken from because they drain. */
const drained = (zone: ZoneStep): Set<string> =>
  new Set(ownersMoved(zone).flatMap(({ from }) => (standingIn(zone.after, from) === 'draining' ? zone.after.members[from]!.node : [])));
