import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMaxMs, backoffMs, retryAfterMsOf } from '../../../lib/api/backoff.ts';

describe('waiting before a call is tried again', () => {
  it('takes any part of a window that doubles up to a minute', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 100].map((failures) => backoffMs(failures, 0.5))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
    ]);
  });

  it('is never nothing, and never longer than a minute by itself', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (failures, random) => {
          const waitMs = backoffMs(failures, random);
          expect(waitMs).toBeGreaterThanOrEqual(100);
          expect(waitMs).toBeLessThanOrEqual(backoffMaxMs);
        },
      ),
      { seed: 7 },
    );
  });

  it('waits out what Muster asked for, and up to a tenth more', () => {
    expect([0, 0.5, 0.999].map((random) => backoffMs(1, random, { retryAfterMs: 90_000 }))).toEqual([90_000, 94_500, 98_991]);
  });
});

describe('the header retry-after', () => {
  it.each([
    ['7', 7_000],
    ['0', 0],
    ['1e12', 7_200_000],
    ['Infinity', 7_200_000],
    ['-3', 0],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ])('%s is %i ms', (text, expected) => {
    expect(retryAfterMsOf(new Headers({ 'retry-after': text }))).toBe(expected);
  });

  it('that is absent asks for nothing', () => {
    expect(retryAfterMsOf(new Headers())).toBe(0);
  });
});
