import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketOf, Histogram, middleOf } from '../../../../programs/loadtest/histogram.ts';

describe('a bucket', () => {
  it('holds a value that its middle is off by at most 1 %', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 28 - 1 }), (us) => {
        expect(Math.abs(middleOf(bucketOf(us)) - us)).toBeLessThanOrEqual(us * 0.01);
      }),
    );
  });

  it('never comes before that of a smaller value, and none is left out', () => {
    const of = Array.from({ length: 10_000 }, (_, us) => bucketOf(us));
    expect(of[0]).toBe(0);
    expect(of.slice(1).filter((bucket, us) => bucket - of[us]! !== 0 && bucket - of[us]! !== 1)).toEqual([]);
  });

  it('is the last one for whatever is longer than all', () => {
    expect(bucketOf(2 ** 40)).toBe(bucketOf(2 ** 28));
  });
});

describe('a histogram', () => {
  const of = (spans: readonly number[]): Histogram => {
    const histogram = new Histogram();
    for (const ms of spans) histogram.add(ms);
    return histogram;
  };

  it('gives quantiles as a sorted list does, within 1 %', () => {
    const spans = fc.array(fc.double({ min: 0.001, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(spans, fc.constantFrom(0, 0.5, 0.9, 0.99, 1), (all, share) => {
        const sorted = [...all].sort((a, b) => a - b);
        const exact = sorted[Math.max(0, Math.ceil(share * all.length) - 1)]!;
        // Half a µs is what rounding to whole ones may cost.
        expect(Math.abs(of(all).quantileMs(share) - exact)).toBeLessThanOrEqual(exact * 0.01 + 0.0005);
      }),
    );
  });

  it('knows count, mean and longest exactly, and says 0 of nothing', () => {
    const some = of([1, 2, 6, -1]);
    expect([some.count, some.meanMs, some.maxMs, some.quantileMs(1)]).toEqual([4, 2.25, 6, 6]);
    some.clear();
    expect([some.count, some.meanMs, some.maxMs, some.quantileMs(0.99)]).toEqual([0, 0, 0, 0]);
  });
});
