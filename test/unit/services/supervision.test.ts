import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeId } from '../../../lib/core/ids.ts';
import { planSupervision, type Supervised, type Supervision } from '../../../lib/services/supervision.ts';

const node = (n: number): NodeId => `n${String(n).padStart(16, '0')}` as NodeId;
const nodes = (...of: number[]): NodeId[] => of.map(node);
const some = fc.uniqueArray(fc.integer({ min: 1, max: 30 }).map(node), { maxLength: 30 });
const site: fc.Arbitrary<Supervised> = fc.record({ nodes: some, supervisors: some });
const history = fc.array(site, { minLength: 1, maxLength: 6 });

/** How many sets of others each supervisor watches. */
function foreignLoads({ services, supervisors }: Supervision, watching: readonly NodeId[]): number[] {
  const all = [...services.filter(({ of, by }) => of !== by), ...supervisors];
  return watching.map((one) => all.filter(({ by }) => by === one).length);
}
const planned = (sites: readonly Supervised[]): Supervision =>
  sites.reduce<Supervision | undefined>((before, now) => planSupervision(before, now), undefined)!;

describe('supervision', () => {
  it('a supervisor watches the services of its own node', () => {
    const { services } = planSupervision(undefined, { nodes: nodes(1, 2), supervisors: nodes(1, 2) });
    expect(services).toEqual([
      { of: node(1), by: node(1) },
      { of: node(2), by: node(2) },
    ]);
  });

  it('when a supervisor dies, its set goes to one other as a whole, and comes home once it is back', () => {
    const all = { nodes: nodes(1, 2, 3), supervisors: nodes(1, 2, 3) };
    const before = planSupervision(undefined, all);
    const after = planSupervision(before, { ...all, supervisors: nodes(2, 3) });
    expect(after.services.filter(({ of }) => of !== node(1))).toEqual(before.services.filter(({ of }) => of !== node(1)));
    expect(after.services.find(({ of }) => of === node(1))!.by).not.toBe(node(1));
    expect(planSupervision(after, all).services).toEqual(before.services);
  });

  it('one supervisor alone is watched by nobody, and none watches anything when there is none', () => {
    expect(planSupervision(undefined, { nodes: nodes(1), supervisors: nodes(1) }).supervisors).toEqual([]);
    expect(planSupervision(undefined, { nodes: nodes(1), supervisors: [] })).toEqual({ services: [], supervisors: [] });
  });

  it('every set has one watcher, each supervisor another than itself, and foreign sets are even within one', () => {
    fc.assert(
      fc.property(history, (sites) => {
        const last = sites.at(-1)!;
        const { services, supervisors } = planned(sites);
        const watching = last.supervisors;
        expect(services.map(({ of }) => of)).toEqual(watching.length === 0 ? [] : [...last.nodes].sort());
        expect(supervisors.map(({ of }) => of)).toEqual(watching.length < 2 ? [] : [...watching].sort());
        for (const { of, by } of services) expect(by === of).toBe(watching.includes(of));
        for (const { of, by } of supervisors) expect(by).not.toBe(of);
        for (const { by } of [...services, ...supervisors]) expect(watching).toContain(by);
        const loads = foreignLoads({ services, supervisors }, watching);
        expect(Math.max(0, ...loads) - Math.min(...loads, Math.max(0, ...loads))).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('what need not move does not: the same site again changes nothing, and the death of one moves what it watched, and little else', () => {
    fc.assert(
      fc.property(history, (sites) => {
        const before = planned(sites);
        const last = sites.at(-1)!;
        expect(planSupervision(before, last)).toEqual(before);
        const [dead, ...supervisors] = last.supervisors;
        if (dead === undefined || supervisors.length === 0) return;
        const after = planSupervision(before, { ...last, supervisors });
        const byBefore = new Map(
          [...before.services, ...before.supervisors.map(({ of, by }) => ({ of: `s${of}`, by }))].map(({ of, by }) => [of, by]),
        );
        const moved = [...after.services, ...after.supervisors.map(({ of, by }) => ({ of: `s${of}`, by }))].filter(
          ({ of, by }) => byBefore.get(of) !== by && byBefore.get(of) !== dead,
        );
        expect(moved.length).toBeLessThanOrEqual(supervisors.length);
      }),
    );
  });
});
