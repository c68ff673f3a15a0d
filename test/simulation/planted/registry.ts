import { sameHistory } from '../judged.ts';
import { endsInvariant } from '../pool.ts';
import type { Bug } from './bug.ts';

/** Invariants of the simulation itself, beside those of the product. */
const ofSimulation = [sameHistory, endsInvariant];

/** What does not fit between the bugs and the names of the invariants: each invariant is to have a bug that it finds, and each bug an invariant that finds it. */
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
