import { write } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { concluded, lasting, lossDue, type Node, type NodeIn } from '../../nodes/node.ts';
import { generationAt, standingAt, withEntry } from '../map/rows/roster.ts';
import { nobody } from '../map/rows/slots.ts';
import { standingOf } from '../map/rows/standing.ts';
import type { ReadNode, StandingDecision, ZoneSnapshot } from '../map/snapshot.ts';

/** A node that is ready to take the place of another, and that other one. */
type Handover = { readonly by: ReadNode; readonly old: ReadNode };

/** The handovers, by the id of either node; `asks`: the nodes whose rows the plan must read first. */
export type Heirs = { readonly of: ReadonlyMap<string, Handover>; readonly missing: readonly string[] };

/** Nodes that are ready to take over, each with the node whose place it takes, if the rows of both confirm it. */
export function heirsOf({ nodes, asked }: ZoneSnapshot): Heirs {
  const byId = new Map(nodes.map((read) => [read.body.id as string, read]));
  const ready = nodes.filter(({ body }) => isReady(body)).sort((a, b) => (a.body.id < b.body.id ? -1 : 1));
  const missing = ready.flatMap(({ body }) => (byId.has(body.replaces!) || asked?.has(body.replaces!) ? [] : [body.replaces!]));
  const pairs = ready.flatMap((by): Handover[] => {
    const old = byId.get(by.body.replaces!);
    return old && isReplacedBy(old.body, by.body) ? [{ by, old }] : [];
  });
  return { of: new Map(pairs.flatMap((one) => [one.by, one.old].map(({ body }) => [body.id, one]))), missing };
}

/** Whether it only waits for the plan to take another's place. */
const isReady = (node: Node): node is NodeIn<'up'> => node.status === 'up' && node.replaces !== undefined && !node.ordered;

/**
 * Whether the order is still valid: an operator may have named another replacement since, or taken the old node back.
 */
const isReplacedBy = (old: Node, by: Node): boolean =>
  old.replacedBy?.node === by.id && old.index !== undefined && old.zone === by.zone && old.removedAt !== undefined;

/** A node whose order to replace another has lapsed is an ordinary node. */
export function withoutLapsed(read: ReadNode, { of }: Heirs): ReadNode {
  if (!isReady(read.body) || of.has(read.body.id)) return read;
  const { replaces: _lapsed, ...body } = read.body;
  return { ...read, body };
}

/**
 * The heir takes index and home of the old node, at the next generation, so that clients of the old node are assigned
 * anew. The heir's own index, if it had one, becomes unused. The old node is given up in the same commit, so that at no
 * version both or neither of them have the place.
 */
export function handedOver({ by, old }: Handover, { zone: { head } }: Pick<ZoneSnapshot, 'zone'>, now: EpochMs): StandingDecision[] {
  const index = old.body.index!;
  const { replaces: _done, awaitsPlan: _followed, ...rest } = by.body as NodeIn<'up'>;
  const generation = Math.max(generationAt(head.roster, index), old.body.generation, by.body.generation) + 1;
  const next: NodeIn<'up'> = { ...rest, index, generation };
  const why = `takes the place of ${old.body.fqdn}: its index ${index} and its home`;
  return [
    {
      index,
      before: standingOf(standingAt(head.roster, index)),
      standing: 'up',
      read: by,
      tookOver: { vacates: by.body.index },
      resolved: {
        standing: 'up',
        node: write<Node, never>(next, why, { wakeAt: next.leaseUntil }),
        why: `in the place of ${old.body.fqdn}, with its index ${index} and its home`,
      },
    },
    { index: nobody, before: 'none', standing: 'none', read: old, resolved: givenUp(old.body, next, now) },
  ];
}

function givenUp(old: Node, by: Node, now: EpochMs): StandingDecision['resolved'] {
  const { index, ...rest } = lasting(old);
  const { planned } = old.replacedBy!;
  const wasDropped = old.status === 'dropped';
  const next: NodeIn<'dropped'> = {
    ...rest,
    status: 'dropped',
    droppedAt: wasDropped ? old.droppedAt : now,
    planned: wasDropped ? old.planned : planned,
  };
  const replaced = concluded('node.replaced', next, { by: by.id, byFqdn: by.fqdn, index: index!, planned });
  const events = wasDropped ? [replaced] : [concluded('node.dropped', next, { planned }), replaced];
  const because = `replaced by ${by.fqdn} (node ${by.id}), ${planned ? 'as planned' : 'after it was lost'}`;
  return { standing: 'none', node: write(next, because, { events, ...lossDue(old, now) }), why: because };
}

/** The roster once a plan is carried out. */
export function rosterAfter(before: Uint8Array, round: readonly StandingDecision[]): Uint8Array {
  let roster = before;
  for (const { index, standing, resolved, read, tookOver, isDeferred } of round) {
    if (isDeferred) continue;
    const { generation } = resolved.node.does === 'write' ? resolved.node.next : read.body;
    if (tookOver?.vacates !== undefined) roster = withEntry(roster, tookOver.vacates, 'none', generationAt(roster, tookOver.vacates));
    if (index !== nobody) roster = withEntry(roster, index, standing, generation);
  }
  return roster;
}
