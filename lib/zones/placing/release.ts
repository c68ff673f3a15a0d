import { type PlannedChange, write } from '../../core/decision.ts';
import { type Desired, desiredRef, type ReleaseOrder, withOrder } from '../../nodes/desired/desired.ts';
import type { Move } from '../map/board.ts';
import { standingAt } from '../map/rows/roster.ts';
import { nobody } from '../map/rows/slots.ts';
import { serves, standings } from '../map/rows/standing.ts';
import type { StandingDecision, ZoneSnapshot } from '../map/snapshot.ts';

/**
 * The parts of a plan of which nodes are notified: slots that move, and `letGo`, the nodes by index whose softly pinned
 * client systems go by their slots from now on.
 */
type Done = { readonly moves: readonly Move[]; readonly round: readonly StandingDecision[]; readonly letGo: readonly number[] };

/**
 * Notifies each node that loses slots or softly pinned client systems while it serves, through its desired state. A
 * node that has taken the place of another in this very plan is not notified, because it has no client systems yet.
 * `needs` names the nodes whose desired state was not loaded.
 */
export function releaseChanges(snapshot: ZoneSnapshot, { moves, round, letGo }: Done, version: number) {
  const { zone, desired } = snapshot;
  const standing = new Map(round.map((one) => [one.index, standings[one.standing]]));
  const isNew = new Set(round.flatMap(({ index, tookOver }) => (tookOver ? [index] : [])));
  const mustNotify = (index: number): boolean => !isNew.has(index) && serves(standing.get(index) ?? standingAt(zone.head.roster, index));
  const slots = new Map<number, number[]>();
  for (const { from, owner, slot } of moves) {
    if (from === owner || from === nobody || !mustNotify(from)) continue;
    const taken = slots.get(from) ?? [];
    taken.push(slot);
    slots.set(from, taken);
  }
  const all = new Set(letGo.filter(mustNotify));
  const ordersOf = (index: number): ReleaseOrder[] => [
    ...(slots.has(index) ? [{ mapVersion: version, zoneSlots: zone.head.slots, slots: slots.get(index)! }] : []),
    ...(all.has(index) ? [{ mapVersion: version, ...wholeMap }] : []),
  ];
  const losers = [...new Set([...slots.keys(), ...all])].map((index) => ({ index, node: zone.members[index]!.node }));
  const missingDesired = losers.filter(({ node }) => !desired.has(node)).map(({ node }) => node as string);
  const changes = losers.flatMap(({ index, node }): PlannedChange[] => {
    const read = desired.get(node);
    if (!read) return [];
    const next: Desired = { ...read.body, release: ordersOf(index).reduce(withOrder, read.body.release) };
    const parts = [`${slots.get(index)?.length ?? 0} slots`, ...(all.has(index) ? ['softly pinned client systems'] : [])];
    return [
      {
        ref: desiredRef(node),
        readRev: read.rev,
        decision: write<Desired, never>(next, `${parts.join(' and ')} to release, map version ${version}`),
      },
    ];
  });
  return { missingDesired, changes, ordered: new Set(losers.map(({ index }) => index)) };
}

/**
 * The only slot of a map of one: all client systems on the node ask. Softly pinned ones may be of any slot, and an
 * agent does not know which they are.
 */
const wholeMap = { zoneSlots: 1, slots: [0] };
