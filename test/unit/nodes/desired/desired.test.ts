import { describe, expect, it } from 'vitest';
import { releaseSlotsMax, releasesMax, withOrder } from '../../../../lib/nodes/desired/desired.ts';
import { decideDesired } from '../../../../lib/nodes/desired/rows/moves.ts';
import { hasReleased } from '../reports.ts';

const order = (mapVersion: number, slots = [1, 2]) => ({ mapVersion, zoneSlots: 1_024, slots });
const many = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('a node that has released', () => {
  it('is rid of all orders up to that map version, and of no later one', () => {
    expect(decideDesired({ release: [order(3), order(5), order(8)] }, hasReleased(5))).toMatchObject({
      does: 'write',
      next: { release: [order(8)] },
    });
  });

  it('what it was not told to, or has released already, changes nothing', () => {
    expect(decideDesired({ release: [order(8)] }, hasReleased(5)).does).toBe('nothing');
    expect(decideDesired(undefined, hasReleased(5)).does).toBe('nothing');
  });
});

describe('orders to release', () => {
  it('wait in the order they were given', () => {
    expect(withOrder([order(3), order(5)], order(8))).toEqual([order(3), order(5), order(8)]);
  });

  it(`are ${releasesMax} at the most; older ones are left out`, () => {
    const waiting = many(releasesMax).map((n) => order(n));

    expect(withOrder(waiting, order(99))).toEqual([...waiting.slice(1), order(99)]);
  });

  it(`hold ${releaseSlotsMax} slots at the most, so that a row can take them; the newest stays whatever it holds`, () => {
    const half = many(releaseSlotsMax / 2);

    expect(withOrder([order(1, [7]), order(2, half)], order(3, half)).map(({ mapVersion }) => mapVersion)).toEqual([2, 3]);
    expect(withOrder([order(1, [7])], order(2, many(releaseSlotsMax))).map(({ mapVersion }) => mapVersion)).toEqual([2]);
  });
});
