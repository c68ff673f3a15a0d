import { standingAt } from '../map/rows/roster.ts';
import { admitted } from '../map/rows/standing.ts';
import type { LoadedZone } from './loaded.ts';

/**
 * Indexes that a node had in an earlier life: it was given up, and has come back under another index since. They stay
 * in the roster for ever, because memberships of that life are told by them, and are shown to nobody. Of a node that is
 * given up everywhere the last one counts.
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
