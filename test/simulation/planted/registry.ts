import { sameHistory } from '../judged.ts';
import { endsInvariant } from '../pool.ts';
import type { Bug } from './bug.ts';

/** Invariants of the simulation itself, beside those of the product. */
const ofSimulation = [sameHistory, endsInvariant];

/**
 * What does not fit between the bugs and the names of the invariants: each invariant is to have a bug that it finds,
 * and each bug an invariant that finds it.
 */
export function misfits(bugs: readonly Bug[], invariants: readonly string[]): string[] {
  const known = [...invariants, ...ofSimulation];
  const names = bugs.map(({ name }) => name);
  return [
    ...known
      .filter((name) => !bugs.some(({ breaks }) => breaks === name))
      .map((name) => `no bug breaks the invariant ${name}: nobody knows whether it can fail`),
    ...bugs
      .filter(({ breaks }) => !known.includes(breaks))
      .map(({ name, breaks }) => `the bug ${name} breaks ${breaks}, and there is no such invariant`),
    ...names.filter((name, n) => names.indexOf(name) !== n).map((name) => `there are two bugs called ${name}`),
  ];
}

/** One bug of each invariant: the one that is found soonest, and the first where none says so. */
export function oneOfEach(bugs: readonly Bug[]): readonly Bug[] {
  const chosen = new Map<string, Bug>();
  for (const bug of bugs) {
    const before = chosen.get(bug.breaks);
    if (!before || (bug.soonest && !before.soonest)) chosen.set(bug.breaks, bug);
  }
  return [...chosen.values()];
}

/** What the history that shows a world to hold costs beside those with a bug, in bugs. */
const worldCosts = 2;

/**
 * The bugs of one shard, counted from 1, of so many of about the same length. Those of one world and seed stay
 * together: they share the history that shows that the code as it is holds there.
 */
export function shardOf(bugs: readonly Bug[], shard: number, shards: number): readonly Bug[] {
  const groups = [...Map.groupBy(bugs, ({ foundIn }) => `${foundIn?.world} ${foundIn?.seed}`).values()].sort((a, b) => b.length - a.length);
  const filled = Array.from({ length: shards }, () => ({ cost: 0, bugs: [] as Bug[] }));
  for (const group of groups) {
    const least = filled.reduce((one, other) => (other.cost < one.cost ? other : one));
    least.cost += group.length + worldCosts;
    least.bugs.push(...group);
  }
  return filled[shard - 1]!.bugs;
}
