import type { Delta } from '../zone.ts';
import { nobody, type SlotMap } from './rows/slots.ts';

/** A slot with its owner and its home, by index. */
export type PlacedSlot = { readonly slot: number; readonly owner: number; readonly home: number };

/** From how many versions back changes are collected at most: beyond that the whole map is the smaller answer. */
export const sinceMax = 500;

/**
 * The slots that moved after version `since`, as they are in the map now; undefined when a delta may be missing. Deltas
 * end in the order of their versions: the one of `since` itself is there as long as all later ones are.
 */
export function mapChanges(
  deltas: readonly (Pick<Delta, 'version' | 'moves'> & { readonly isEnding: boolean })[],
  { since, mapVersion, map }: { readonly since: number; readonly mapVersion: number; readonly map: SlotMap },
): PlacedSlot[] | undefined {
  if (deltas.some(({ isEnding }) => isEnding) || !deltas.some(({ version }) => version === since)) return undefined;
  const moved = new Set(deltas.filter(({ version }) => version > since && version <= mapVersion).flatMap(slotsIn));
  return [...moved].sort((a, b) => a - b).map((slot) => ({ slot, owner: map.owner[slot] ?? nobody, home: map.home[slot] ?? nobody }));
}

/** The slots of a stored delta: 8 bytes each, the first four are the slot. */
function slotsIn({ moves }: Pick<Delta, 'moves'>): number[] {
  const view = new DataView(moves.buffer, moves.byteOffset, moves.byteLength);
  return Array.from({ length: moves.byteLength / 8 }, (_, n) => view.getUint32(n * 8));
}
