import { describe, expect, it } from 'vitest';
import { emptyMap, nobody } from '../../../../lib/zones/map/rows/slots.ts';
import { type Placing, place } from '../../../../lib/zones/placing/place.ts';

/** Node 1 owns everything; half of it is node 0's home. */
const placing = (weights: readonly number[]): Placing => {
  const map = emptyMap(1_024);
  map.owner.fill(1);
  map.home.fill(0, 0, 512).fill(1, 512);
  return {
    map,
    counts: new Uint16Array(1_024),
    weights,
    leaves: (index) => (weights[index] ?? 0) === 0,
    forgotten: () => false,
    tells: () => false,
    returning: [0],
    joining: [],
    donorsMax: 30,
  };
};

describe('a node that is to have its home back', () => {
  it('has it when it takes slots', () =>
    expect(place(placing([1, 1])).moves.map(({ slot, owner }) => [slot, owner])).toEqual(
      Array.from({ length: 512 }, (_, slot) => [slot, 0]),
    ));
  it('is given nothing when it went down meanwhile', () => expect(place(placing([0, 1])).moves).toEqual([]));
});

describe('nodes that are left with nothing by one that has its home back', () => {
  it.each([{ clients: 0 }, { clients: 3 }])('keep their shares of what they had, with $clients clients a slot', ({ clients }) => {
    const map = emptyMap(1_024);
    map.home.fill(0);
    for (let slot = 0; slot < 1_024; slot++) map.owner[slot] = 1 + (slot % 2);

    const { moves } = place({ ...placing([1, 1, 1]), map, counts: new Uint16Array(1_024).fill(clients) });

    expect(moves.filter(({ owner }) => owner !== 0 && owner !== nobody).filter(({ slot, owner }) => owner !== map.owner[slot])).toEqual([]);
    const took = moves.filter(({ slot, owner }) => owner !== map.owner[slot]);
    expect(took.length).toBeGreaterThanOrEqual(340);
    expect(took.length).toBeLessThanOrEqual(343);
  });
});

describe('the first few clients of a zone', () => {
  it('do not keep its slots from being even over the nodes', () => {
    const counts = new Uint16Array(1_024);
    for (const slot of [7, 300, 301, 640, 1_000]) counts[slot] = 1;
    const { moves } = place({ ...placing([1, 1, 1]), map: emptyMap(1_024), counts, returning: [] });

    const owned = [0, 1, 2].map((index) => moves.filter(({ owner }) => owner === index).length);
    expect(Math.max(...owned) - Math.min(...owned)).toBeLessThanOrEqual(2);
  });
});
