import { nobody, type ZoneMap } from './slots.ts';

/** Where a node's tile is, in CSS pixels from the upper left of the map. */
export type Tile = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
/** Where everything of a map is: tiles by the index of their node, and the upper left of each slot's cell. */
export type Layout = {
  readonly tiles: ReadonlyMap<number, Tile>;
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly cell: number;
  readonly height: number;
};

const between = 10;
const padding = 10;
/** The head of a tile: the node's name, and how many client systems it has. */
const head = 36;
const gap = 1;
const cellMax = 12;
const cellMin = 2;

/** How wide a tile wants to be, and how high its cells may stand, by how many nodes there are. */
const sizesFor = (nodes: number): { readonly wide: number; readonly high: number } =>
  nodes > 40 ? { wide: 124, high: 62 } : nodes > 16 ? { wide: 170, high: 80 } : { wide: 220, high: 96 };

/**
 * Lays a map out in this width: as many tiles in a row as fit, in the order of their names, and cells as large as the
 * fullest node lets them be. Slots without a node stand in a strip of their own at the end.
 */
export function layoutOf(map: Pick<ZoneMap, 'nodes' | 'owner' | 'slots'>, width: number): Layout {
  const owned = countsOf(map.owner);
  const { wide, high } = sizesFor(map.nodes.length);
  const columns = Math.max(1, Math.min(map.nodes.length, Math.floor((width + between) / (wide + between))));
  const tileWidth = Math.floor((width - (columns - 1) * between) / columns);
  // A little room above the fullest node, so that cells do not shrink as soon as slots move.
  const fair = Math.ceil((map.slots / Math.max(1, map.nodes.length)) * 1.15);
  const most = Math.max(1, fair, ...map.nodes.map(({ index }) => owned.get(index) ?? 0));
  const cell = cellFor(most, tileWidth - padding * 2, high);
  const across = acrossFor(tileWidth - padding * 2, cell);
  const tileHeight = head + Math.ceil(most / across) * (cell + gap) + padding;
  const named = [...map.nodes].sort((a, b) => a.fqdn.localeCompare(b.fqdn, 'en', { numeric: true }));
  const tiles = new Map(
    named.map(({ index }, n): [number, Tile] => {
      const [column, row] = [n % columns, Math.floor(n / columns)];
      return [index, { x: column * (tileWidth + between), y: row * (tileHeight + between), width: tileWidth, height: tileHeight }];
    }),
  );
  const rows = Math.ceil(named.length / columns);
  const strip = { x: 0, y: rows * (tileHeight + between) - head, across: acrossFor(width - padding * 2, cell) };
  const left = owned.get(nobody) ?? 0;
  const height = rows * (tileHeight + between) + (left === 0 ? 0 : Math.ceil(left / strip.across) * (cell + gap) + between);
  return { tiles, ...placed(map.owner, { tiles, across, cell, strip }), cell, height };
}

function countsOf(owner: Uint16Array): Map<number, number> {
  const owned = new Map<number, number>();
  for (const index of owner) owned.set(index, (owned.get(index) ?? 0) + 1);
  return owned;
}

const acrossFor = (width: number, cell: number): number => Math.max(1, Math.floor(width / (cell + gap)));

/** The largest cell, in half pixels, with which so many cells stand in a box of this size; the least if none does. */
function cellFor(cells: number, width: number, high: number): number {
  for (let cell = cellMax; cell > cellMin; cell -= 0.5) if (Math.ceil(cells / acrossFor(width, cell)) * (cell + gap) <= high) return cell;
  return cellMin;
}

type Grid = {
  readonly tiles: ReadonlyMap<number, Tile>;
  readonly across: number;
  readonly cell: number;
  readonly strip: { readonly x: number; readonly y: number; readonly across: number };
};

function placed(owner: Uint16Array, { tiles, across, cell, strip }: Grid): Pick<Layout, 'x' | 'y'> {
  const [x, y] = [new Float32Array(owner.length), new Float32Array(owner.length)];
  const taken = new Map<number, number>();
  for (const [slot, index] of owner.entries()) {
    const n = taken.get(index) ?? 0;
    taken.set(index, n + 1);
    const tile = tiles.get(index);
    const [left, top, wide] = tile ? [tile.x, tile.y, across] : [strip.x, strip.y, strip.across];
    x[slot] = left + padding + (n % wide) * (cell + gap);
    y[slot] = top + head + Math.floor(n / wide) * (cell + gap);
  }
  return { x, y };
}
