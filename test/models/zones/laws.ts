import { isDeepStrictEqual } from 'node:util';
import type { Desired } from '../../../lib/nodes/desired/desired.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import type { LoadedZone } from '../../../lib/zones/rows/loaded.ts';
import { type Law, law } from '../model.ts';

/** The roster's codes, as they are stored. */
const codes = { none: 0, joining: 1, up: 2, suspect: 3, draining: 4, held: 5, down: 6, dropped: 7, quarantined: 8 } as const;
const nobody = 0xffff;

/** A zone after a step: its nodes' rows, the zone as it was, and as two readers have it. */
export type ZoneStep = {
  readonly nodes: readonly Node[];
  readonly before: LoadedZone;
  readonly after: LoadedZone;
  readonly kept: LoadedZone;
  /** Orders to release that wait, by node. */
  readonly releases: readonly (readonly [string, Desired])[];
  /** A sweep has just ended, and no other row has moved since. */
  readonly isSwept: boolean;
};

/** Standing and generation by index: three bytes a node. */
const rosterOf = ({ head: { roster } }: LoadedZone): { code: number; generation: number }[] =>
  Array.from({ length: roster.length / 3 }, (_, index) => ({
    code: roster[index * 3]!,
    generation: roster[index * 3 + 1]! * 256 + roster[index * 3 + 2]!,
  }));
const standingIn = (node: Node): number =>
  node.status === 'leaving' ? (node.leaving.mode === 'hold' ? codes.held : codes.draining) : codes[node.status as 'up'];
const serves = (code: number | undefined): boolean =>
  code !== undefined && code >= codes.up && code !== codes.down && code !== codes.dropped;

/** Everything that is promised of a zone, whatever its nodes do. */
export const zoneLaws: readonly Law<ZoneStep>[] = [
  law('versions never go back, and name when the map and the members moved', ({ before: { head: b }, after: { head: a, map }, before }) => {
    const moved = !isDeepStrictEqual(map, before.map);
    return a.version >= b.version && a.mapVersion >= b.mapVersion && a.mapVersion <= a.version && (!moved || a.mapVersion > b.mapVersion);
  }),
  law(
    'a reader who reads only what moved has what a new reader has',
    ({ after, kept }) =>
      isDeepStrictEqual(kept.head, after.head) && isDeepStrictEqual(kept.map, after.map) && isDeepStrictEqual(kept.members, after.members),
  ),
  law(
    'an index is of one node for ever, and one that was dropped stays so there',
    ({ before, after }) =>
      before.members.every((member, index) => !member || after.members[index]?.node === member.node) &&
      rosterOf(before).every(({ code }, index) => code !== codes.dropped || rosterOf(after)[index]?.code === codes.dropped),
  ),
  law('after a sweep every slot has an owner that serves, when any node is up', ({ after, isSwept }) => {
    const roster = rosterOf(after);
    if (!isSwept || !roster.some(({ code }) => code === codes.up)) return true;
    return after.map.owner.every((owner) => serves(roster[owner]?.code));
  }),
  law(
    'no slot has a home that was given up, when any node is up',
    ({ after, isSwept }) =>
      !isSwept ||
      !rosterOf(after).some(({ code }) => code === codes.up) ||
      after.map.home.every((home) => rosterOf(after)[home] !== undefined && rosterOf(after)[home]?.code !== codes.dropped),
  ),
  law('after a sweep the roster shows every node as its row has it, and nothing awaits it', ({ nodes, after, isSwept }) => {
    const roster = rosterOf(after);
    return (
      !isSwept ||
      nodes.every((node) => {
        if (node.status === 'absent') return node.index === undefined;
        const shown = node.index === undefined ? undefined : roster[node.index];
        return !node.awaitsPlan && shown?.code === standingIn(node) && shown.generation === node.generation;
      })
    );
  }),
  law('two nodes never have one index', ({ nodes }) => {
    const given = nodes.flatMap(({ index }) => (index === undefined ? [] : [index]));
    return new Set(given).size === given.length;
  }),
  law('an order to release is of a map version that was, and of slots that are somebody else’s since', ({ releases, after, nodes }) =>
    releases.every(([id, { release }]) => {
      const index = nodes.find((node) => node.id === id)?.index;
      const versions = release.map(({ mapVersion }) => mapVersion);
      const isInOrder = versions.every((version, n) => version <= after.head.mapVersion && version > (versions[n - 1] ?? 0));
      const last = release.at(-1);
      return isInOrder && (last?.mapVersion !== after.head.mapVersion || last.slots.every((slot) => after.map.owner[slot] !== index));
    }),
  ),
  law('a node that owns slots is known by name', ({ after }) =>
    [...new Set(after.map.owner)].every((owner) => owner === nobody || after.members[owner] !== undefined),
  ),
];
