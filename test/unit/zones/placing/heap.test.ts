import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from '../../../../lib/zones/map/heap.ts';

describe('the heap of nodes', () => {
  it('has the lowest rank on top, of equals the lower index, whatever ranks change and whoever is taken out', () => {
    const steps = fc.array(fc.record({ index: fc.nat(19), rank: fc.nat(5), isRemoved: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 20, maxLength: 20 }), steps, (ranks, changes) => {
        const left = new Set(ranks.keys());
        const heap = new Heap([...left], 20, (index) => ranks[index]!);
        for (const { index, rank, isRemoved } of changes) {
          ranks[index] = rank;
          if (isRemoved && left.delete(index)) heap.remove(index);
          else heap.moved(index);
          expect(heap.top()).toBe([...left].sort((a, b) => ranks[a]! - ranks[b]! || a - b)[0]);
        }
      }),
    );
  });
});
