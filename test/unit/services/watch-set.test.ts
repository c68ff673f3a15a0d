import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeId, ZoneName } from '../../../lib/core/ids.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import { planSets, supervisionOf, type WatchSet, watchedMax } from '../../../lib/services/watch-set.ts';

const zone = 'default' as ZoneName;
const node = (n: number): NodeId => `n${String(n).padStart(16, '0')}` as NodeId;
const nodes = (...of: number[]): NodeId[] => of.map(node);
const addressOf = (of: NodeId) => `${of}:7700`;
const some = fc.uniqueArray(fc.integer({ min: 1, max: 30 }).map(node), { maxLength: 30 });
const history = fc.array(fc.record({ nodes: some, supervisors: some }), { minLength: 1, maxLength: 6 });

/** The sets as they stand after some plans, one after another. */
function setsAfter(
  sites: readonly { readonly nodes: readonly NodeId[]; readonly supervisors: readonly NodeId[] }[],
  from: readonly WatchSet[] = [],
) {
  const sets = new Map(from.map((set) => [set.node, set]));
  for (const site of sites) {
    const { changed, ended } = planSets([...sets.values()], { zone, addressOf, ...site });
    for (const set of changed) sets.set(set.node, set);
    for (const set of ended) sets.delete(set.node);
  }
  return [...sets.values()];
}

describe('the sets of supervisors', () => {
  it('have their own node without an address, and each other one with that of its agent', () => {
    const [first, second] = setsAfter([{ nodes: nodes(1, 2, 3), supervisors: nodes(1, 2) }]);
    expect(first).toEqual({
      zone,
      node: node(1),
      missed: [],
      services: [{ node: node(1) }, { node: node(3), address: addressOf(node(3)) }],
      supervisors: [{ node: node(2), address: addressOf(node(2)) }],
    });
    expect(second!.services).toEqual([{ node: node(2) }]);
  });

  it('change when a node has another address, and keep what is missed of those that stay', () => {
    const site = { zone, nodes: nodes(2, 3), supervisors: nodes(1) };
    const since = 1_000 as EpochMs;
    const before = setsAfter([site]).map((set) => ({ ...set, missed: nodes(2, 3).map((of) => ({ node: of, since })) }));
    const { changed } = planSets(before, { ...site, nodes: nodes(2), addressOf: () => 'moved.acme.org:7700' });
    expect(changed).toEqual([
      { ...before[0], services: [{ node: node(2), address: 'moved.acme.org:7700' }], missed: [{ node: node(2), since }] },
    ]);
  });

  it('end with their supervisors, and what none can take is watched by nobody', () => {
    const many = Array.from({ length: watchedMax + 200 }, (_, n) => node(n + 2));
    const sets = setsAfter([{ nodes: many, supervisors: nodes(1) }]);
    expect(sets.map(({ services }) => services.length)).toEqual([watchedMax]);
    expect(planSets(sets, { zone, addressOf, nodes: many, supervisors: [] })).toEqual({ changed: [], ended: sets });
  });

  it('are one for each supervisor that watches anything, and planned again from the same they stay', () => {
    fc.assert(
      fc.property(history, (sites) => {
        const sets = setsAfter(sites);
        const last = sites.at(-1)!;
        expect(planSets(sets, { zone, addressOf, ...last })).toEqual({ changed: [], ended: [] });
        const { services, supervisors } = supervisionOf(sets);
        const watched = services.map(({ of }) => of).sort();
        expect(watched).toEqual(last.supervisors.length === 0 ? [] : [...last.nodes].sort());
        expect(supervisors.map(({ of }) => of).sort()).toEqual(last.supervisors.length < 2 ? [] : [...last.supervisors].sort());
        expect(sets.every((set) => set.services.length + set.supervisors.length > 0)).toBe(true);
      }),
    );
  });

  it('of two plans that were made from different lists, the next one leaves each with one watcher', () => {
    fc.assert(
      fc.property(history, some, (sites, twice) => {
        const sets = setsAfter(sites);
        const [one, ...others] = sets;
        fc.pre(one !== undefined && others.length > 0);
        const double = [...others, { ...one!, services: [...one!.services, ...twice.map((of) => ({ node: of }))] }];
        const { services } = supervisionOf(setsAfter([sites.at(-1)!], double));
        expect(new Set(services.map(({ of }) => of)).size).toBe(services.length);
      }),
    );
  });
});
