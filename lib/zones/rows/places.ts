import { standingAt } from '../map/rows/roster.ts';
import { admitted } from '../map/rows/standing.ts';
import type { LoadedZone } from './loaded.ts';

/**
 * Indexes that a node had before it was given up and came back under another index. They stay in the roster for ever,
 * because old memberships refer to them, and no view shows them. Of a node that is given up under every index, the last
 * index counts as present.
 */
export function pastPlaces({ members, head }: Pick<LoadedZone, 'members' | 'head'>): ReadonlySet<number> {
  const places = Map.groupBy(
    members.flatMap((member, index) => (member ? [{ node: member.node, index }] : [])),
    ({ node }) => node,
  );
  const past = [...places.values()].flatMap((some) => {
    const now = some.findLast(({ index }) => admitted(standingAt(head.roster, index))) ?? some.at(-1)!;
    return some.filter((one) => one !== now).map(({ index }) => index);
  });
  return new Set(past);
}
