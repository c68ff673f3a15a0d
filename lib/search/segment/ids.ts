import { compareBytes } from './texts.ts';

/** The bytes of an id, which are written as twice as many hex digits. */
export const idBytes = 32;
const idDigits = 2 * idBytes;

/** Ids of documents in their order, 32 bytes each. */
export type Ids = Uint8Array;

/** The hex digits of the id at a place. */
export const idAt = (ids: Ids, place: number): string => Buffer.from(ids.buffer, ids.byteOffset + place * idBytes, idBytes).toString('hex');

/** Whether a text is an id: 64 hex digits in lower case. */
export const isId = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** Packs ids, which are in their order. */
export function packIds(ids: readonly string[]): Ids {
  const bytes = Buffer.from(new ArrayBuffer(ids.length * idBytes));
  for (const [place, id] of ids.entries()) bytes.write(id, place * idBytes, 'hex');
  return new Uint8Array(bytes.buffer, 0, bytes.length);
}

/** The place of the first id that is not before these bytes, of which there are as many as an id has. */
export function placeOfId(ids: Ids, key: Uint8Array): number {
  let [low, high] = [0, ids.length / idBytes];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareIds(ids, middle, key, 0) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Orders the ids at two places. */
export const compareIds = (a: Ids, aPlace: number, b: Ids, bPlace: number): number =>
  compareBytes(a, aPlace * idBytes, (aPlace + 1) * idBytes, b, bPlace * idBytes, (bPlace + 1) * idBytes);

/** The place of an id; undefined if it is not among them. */
export function findId(ids: Ids, id: string): number | undefined {
  const key = Buffer.from(id, 'hex');
  if (key.length !== idBytes) return undefined;
  const place = placeOfId(ids, key);
  return place * idBytes < ids.length && compareIds(ids, place, key, 0) === 0 ? place : undefined;
}

/** The places of the ids that begin with some hex digits: from the first up to, and without, the second. */
export function placesOfDigits(ids: Ids, digits: string): readonly [from: number, to: number] {
  if (!/^[0-9a-f]{0,64}$/.test(digits)) return [0, 0];
  const from = placeOfId(ids, Buffer.from(digits.padEnd(idDigits, '0'), 'hex'));
  const last = Buffer.from(digits.padEnd(idDigits, 'f'), 'hex');
  const to = placeOfId(ids, last);
  const isThere = to * idBytes < ids.length && compareIds(ids, to, last, 0) === 0;
  return [from, isThere ? to + 1 : to];
}

/**
 * The order of ids, as places among them: by 32 bits first, which sorts numbers, and by the rest where these are equal.
 */
export function orderOfIds(ids: readonly string[]): Uint32Array {
  const room = 2 ** 21;
  if (ids.length > room) throw new RangeError(`${ids.length} ids; the limit is ${room}`);
  const keys = new Float64Array(ids.length);
  for (const [place, id] of ids.entries()) keys[place] = Number.parseInt(id.slice(0, 8), 16) * room + place;
  keys.sort();
  const order = new Uint32Array(ids.length);
  for (let n = 0; n < order.length; n++) order[n] = (keys[n] ?? 0) % room;
  const idOf = (n: number): string => ids[order[n] ?? 0] ?? '';
  for (let n = 1; n < order.length; n++)
    for (let at = n; at > 0 && idOf(at - 1) > idOf(at); at--) {
      const moved = order[at] ?? 0;
      order[at] = order[at - 1] ?? 0;
      order[at - 1] = moved;
    }
  return order;
}
