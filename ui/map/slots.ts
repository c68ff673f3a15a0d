import type { ZoneMapView } from '../../lib/zones/map/routes.ts';

/** The index of no node. */
export const nobody = 0xffff;

/** The map of a zone as typed arrays: owner, home and about how many client systems of each slot. */
export type ZoneMap = Pick<ZoneMapView, 'zone' | 'version' | 'slots' | 'nodes' | 'countedAt'> & {
  readonly owner: Uint16Array;
  readonly home: Uint16Array;
  readonly systems: Uint16Array;
};

/** The map of an answer that has the whole of it. Throws an Error for one that has only moves. */
export function decodeMap({ whole, moves: _, ...rest }: ZoneMapView): ZoneMap {
  if (!whole) throw new Error('the answer has only the slots that moved');
  return { ...rest, owner: numbersIn(whole.owner), home: numbersIn(whole.home), systems: numbersIn(whole.systems) };
}

const bytesIn = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

function numbersIn(text: string): Uint16Array {
  const { buffer } = bytesIn(text);
  const view = new DataView(buffer);
  return Uint16Array.from({ length: view.byteLength / 2 }, (_, n) => view.getUint16(n * 2, true));
}
