import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareUtf8, isEmptyRange } from '../../../../lib/ports/table/order.ts';
import { numberSize } from '../../../../lib/ports/table/size.ts';

describe('the order of sort keys', () => {
  test('is the order of their bytes in UTF-8', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\ud7ff', '\ue000', '\uffff', '𐀀', '😀') });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { seed: 3, numRuns: 1_000 },
    );
  });

  test('leaves no room between ends the wrong way round', () => {
    expect([{}, { from: 'a' }, { to: 'a' }, { from: 'a', to: 'a' }].map(isEmptyRange)).toEqual([false, false, false, false]);
    expect([{ to: '' }, { from: 'b', to: 'a' }, { from: '😀', to: '\uffff' }].map(isEmptyRange)).toEqual([true, true, true]);
  });
});

describe('the size of a number', () => {
  // The literals of the developer guide, and some on either side of a pair of digits.
  test.each([
    [0, 1],
    [27, 2],
    [-27, 3],
    [461, 3],
    [1_000, 2],
    [1_001, 3],
    [0.05, 2],
    [1.5, 3],
    [100.1, 4],
    [-0.001, 3],
    [1_767_268_800_000, 5],
  ])('of %d is %d bytes', (value, bytes) => {
    expect(numberSize(value)).toBe(bytes);
  });

  test('that is whole is one byte and one per two of its digits, those at its end that are zero left out', () => {
    const whole = fc.oneof(
      fc.maxSafeInteger(),
      fc.integer({ min: -10_000, max: 10_000 }).map((small) => small * 1_000),
    );
    fc.assert(
      fc.property(whole, (value) => {
        const digits = String(Math.abs(value)).replace(/0+$/, '').length;
        expect(numberSize(value)).toBe(1 + Math.ceil(digits / 2) + (value < 0 ? 1 : 0));
      }),
      { seed: 3, numRuns: 1_000 },
    );
  });
});
