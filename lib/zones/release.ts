import { type PlannedChange, write } from '../decision.ts';
import { type Desired, withOrder } from '../desired/desired.ts';
import type { Move } from './board.ts';
import { standingAt } from './roster.ts';
import { nobody } from './slots.ts';
import type { Followee, ZoneSnapshot } from './snapshot.ts';
import { serves, standings } from './standing.ts';

/**
 * A node that loses slots while it serves is told so in its desired state, but for one that has taken the place of another in this very
 * plan: nobody is on it yet. `needs` names the nodes whose desired state was not loaded.
 */
export function releaseChanges(snapshot: ZoneSnapshot, moves: readonly Move[], round: readonly Followee[], version: number) {
  const { zone, desired } = snapshot;
  const standing = new Map(round.map((one) => [one.index, standings[one.standing]]));
  const isNew = new Set(round.flatMap(({ index, tookOver }) => (tookOver ? [index] : [])));
  const slots = new Map<number, number[]>();
  for (const { from, owner, slot } of moves) {
    if (from === owner || from === nobody || isNew.has(from) || !serves(standing.get(from) ?? standingAt(zone.head.roster, from))) continue;
    const taken = slots.get(from) ?? [];
    taken.push(slot);
    slots.set(from, taken);
  }
  const losers = [...slots.keys()].map((index) => ({ index, node: zone.members[index]!.node }));
  const needs = losers.filter(({ node }) => !desired.has(node)).map(({ node }) => node as string);
  const changes = losers.flatMap(({ index, node }): PlannedChange[] => {
    const read = desired.get(node);
    if (!read) return [];
    const order = { mapVersion: version, zoneSlots: zone.head.slots, slots: slots.get(index)! };
    const next: Desired = { ...read.body, release: withOrder(read.body.release, order) };
    return [
      {
        ref: { noun: 'desired', id: node },
        readRev: read.rev,
        decision: write<Desired, never>(next, `${order.slots.length} slots to release, map version ${version}`),
      },
    ];
  });
  return { needs, changes, ordered: new Set(slots.keys()) };
}
