import { nobody } from '../../../../lib/zones/map/rows/slots.ts';
import type { Invariant } from '../invariant.ts';
import { isPlanned } from '../rows.ts';
import { indexesOf, standingIn, type ZoneState, ZoneTruth } from '../zones/zone-truth.ts';

const cannotOwn = new Set(['none', 'joining']);
const mustGive = new Set(['none', 'joining', 'down', 'dropped', 'draining']);

/** A client whose slot belongs to somebody who is gone waits for nobody. */
export const owners: Invariant = {
  name: 'slots-have-owners-who-serve',
  says: 'the owner of a slot is in the roster; while any node is up, no slot is left with nobody, or with one that is gone or drains, but for a node that is down and whose clients are kept for it, or one whose slots wait for a budget, or for the end of a freeze, or, as many as its head says, for room',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    return {
      committed: (changes) => {
        const step = truth.take(changes);
        // An operator's word moves nothing by itself: the plan that follows does.
        const wrong = step && isPlanned(step) ? wronglyOwned(step.after) : undefined;
        if (wrong) violated(`${step!.name} at version ${step!.after.head.version}: ${wrong}`);
      },
      unrest: () =>
        [...truth.zones].flatMap(([name, zone]) => {
          const bare = hasUp(zone)
            ? indexesOf(zone).filter((index) => standingIn(zone, index) === 'up' && !zone.map.owner.includes(index))
            : [];
          return bare.map((index) => `node ${index} of ${name} is up and has no slot`);
        }),
    };
  },
};

const hasUp = (zone: ZoneState): boolean => indexesOf(zone).some((index) => standingIn(zone, index) === 'up');

function wronglyOwned(zone: ZoneState): string | undefined {
  const { settling, budgets, brakes } = zone.head;
  const waits = settling.length > 0 || budgets.holds || brakes.freeze === 'moves' || brakes.freeze === 'all';
  const wrong = hasUp(zone) && !waits ? mustGive : cannotOwn;
  const standing = new Map(indexesOf(zone).map((index) => [index, standingIn(zone, index)]));
  let crowded = zone.head.crowded?.slots ?? 0;
  for (const [slot, owner] of zone.map.owner.entries()) {
    if (owner === nobody && wrong === cannotOwn) continue;
    const how = standing.get(owner) ?? 'none';
    if (how === 'down' && zone.head.kept?.some((kept) => kept.index === owner)) continue;
    if (wrong.has(how) && !cannotOwn.has(how) && crowded-- > 0) continue;
    if (wrong.has(how)) return `slot ${slot} is owned by ${owner === nobody ? 'nobody' : `node ${owner}, which is ${how}`}`;
  }
  return undefined;
}
