import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layoutOf } from '../../ui/map/layout.ts';
import { flightsBetween } from '../../ui/map/paint.ts';
import { decodeMap, nobody, type ZoneMap } from '../../ui/map/slots.ts';

function mapOf(owners: readonly number[], nodes: number): ZoneMap {
  const owner = Uint16Array.from(owners, (one) => (one >= nodes ? nobody : one));
  return {
    zone: 'emea' as ZoneMap['zone'],
    version: 1,
    slots: owner.length,
    nodes: Array.from({ length: nodes }, (_, index) => ({
      index,
      node: `n${index}`,
      fqdn: `node${index}.acme.org`,
      standing: 'up',
      generation: 1,
      weight: 1,
      systemsAbout: 0,
    })) as unknown as ZoneMap['nodes'],
    owner,
    home: owner,
    systems: new Uint16Array(owner.length),
  };
}

const maps = fc
  .record({
    nodes: fc.integer({ min: 1, max: 60 }),
    owners: fc.array(fc.nat(64), { minLength: 1, maxLength: 600 }),
    width: fc.integer({ min: 300, max: 2_000 }),
  })
  .map(({ nodes, owners, width }) => ({ map: mapOf(owners, nodes), width }));

describe('the layout of a map', () => {
  it('puts each slot into the tile of its node, and no two in one place', () => {
    fc.assert(
      fc.property(maps, ({ map, width }) => {
        const { tiles, x, y, cell, height } = layoutOf(map, width);
        const places = new Set<string>();
        for (const [slot, index] of map.owner.entries()) {
          places.add(`${x[slot]},${y[slot]}`);
          const tile = tiles.get(index);
          if (tile === undefined) continue;
          expect(x[slot]).toBeGreaterThanOrEqual(tile.x);
          expect(x[slot]! + cell).toBeLessThanOrEqual(tile.x + tile.width);
          expect(y[slot]! + cell).toBeLessThanOrEqual(tile.y + tile.height);
        }
        expect(places.size).toBe(map.slots);
        expect(Math.max(...y) + cell).toBeLessThanOrEqual(height);
      }),
    );
  });

  it('has no tile over another, and none beyond the width', () => {
    fc.assert(
      fc.property(maps, ({ map, width }) => {
        const tiles = [...layoutOf(map, width).tiles.values()];
        expect(new Set(tiles.map(({ x, y }) => `${x},${y}`)).size).toBe(map.nodes.length);
        for (const tile of tiles) expect(tile.x + tile.width).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('slots', () => {
  it('fly when they get another owner, from where they were', () => {
    const before = mapOf([0, 0, 1, 1], 2);
    const layout = layoutOf(before, 800);
    const flights = flightsBetween({ owner: before.owner, layout }, Uint16Array.of(0, 1, 1, 1));
    expect(flights).toEqual([{ slot: 1, x: layout.x[1], y: layout.y[1] }]);
    expect(flightsBetween(undefined, before.owner)).toEqual([]);
    expect(flightsBetween({ owner: before.owner, layout }, Uint16Array.of(0))).toEqual([]);
  });

  it('are read from bytes in the order of the contract', () => {
    const text = Buffer.from([1, 0, 255, 255]).toString('base64');
    const { owner } = decodeMap({
      zone: 'emea' as ZoneMap['zone'],
      version: 1,
      slots: 2,
      nodes: [],
      whole: { owner: text, home: text, systems: text },
    });
    expect([...owner]).toEqual([1, nobody]);
  });
});
