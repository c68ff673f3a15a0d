/** Distinct texts in the order of their UTF-8 bytes, packed one behind the other. */
export type Texts = {
  readonly bytes: Uint8Array;
  /** Where each text begins, and behind the last where it ends: one more than there are texts. */
  readonly offsets: Uint32Array;
};

/** How many texts there are. */
export const textsIn = ({ offsets }: Texts): number => offsets.length - 1;

/** The text at a place; empty past the last. */
export const textAt = ({ bytes, offsets }: Texts, place: number): string =>
  decode(bytes, offsets[place] ?? bytes.length, offsets[place + 1] ?? bytes.length);

/** A part of bytes of UTF-8 as a text. */
export const decode = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.max(0, to - from)).toString('utf8');

/** Orders texts as their UTF-8 bytes, which is by code points: JavaScript's own order differs past U+FFFF. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one !== other) return aboveSurrogates(one) - aboveSurrogates(other);
  }
  return a.length - b.length;
}

/** Moves the halves of pairs behind all other units, as their code points are. */
const aboveSurrogates = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** Packs distinct texts, which are in {@link compareTexts} order. */
export function packTexts(texts: readonly string[]): Texts {
  const offsets = new Uint32Array(texts.length + 1);
  let length = 0;
  for (const [place, text] of texts.entries()) {
    offsets[place] = length;
    length += Buffer.byteLength(text, 'utf8');
  }
  offsets[texts.length] = length;
  const buffer = Buffer.from(new ArrayBuffer(length));
  for (const [place, text] of texts.entries()) buffer.write(text, offsets[place] ?? 0, 'utf8');
  return { bytes: new Uint8Array(buffer.buffer, 0, length), offsets };
}

/** The place of the first text that is not before these bytes. */
export function placeOfText(texts: Texts, key: Uint8Array): number {
  let [low, high] = [0, textsIn(texts)];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBytes(texts.bytes, texts.offsets[middle] ?? 0, texts.offsets[middle + 1] ?? 0, key, 0, key.length) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The place of a text; undefined if it is not among them. */
export function findText(texts: Texts, text: string): number | undefined {
  const place = placeOfText(texts, Buffer.from(text, 'utf8'));
  return place < textsIn(texts) && textAt(texts, place) === text ? place : undefined;
}

/** The places of the texts that begin with a prefix: from the first up to, and without, the second. */
export function placesOfPrefix(texts: Texts, prefix: string): readonly [from: number, to: number] {
  const key = Buffer.from(prefix, 'utf8');
  return [placeOfText(texts, key), placeOfText(texts, justAbove(key))];
}

/** The least bytes above all that begin with a prefix. UTF-8 has no byte 0xff, so one more is above them. */
export const justAbove = (prefix: Uint8Array): Uint8Array => Uint8Array.from([...prefix, 0xff]);

/** Orders two parts of bytes: below 0, 0 or above 0. */
export function compareBytes(a: Uint8Array, aFrom: number, aTo: number, b: Uint8Array, bFrom: number, bTo: number): number {
  const length = Math.min(aTo - aFrom, bTo - bFrom);
  for (let at = 0; at < length; at++) {
    const difference = (a[aFrom + at] ?? 0) - (b[bFrom + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return aTo - aFrom - (bTo - bFrom);
}

/**
 * The merged texts of several lists, and for each list the new place of each of its texts. Yields every few thousand
 * texts how many were merged since.
 */
export function* mergeTexts(lists: readonly Texts[]): Generator<number, { texts: Texts; places: Uint32Array[] }> {
  const places = lists.map((list) => new Uint32Array(textsIn(list)));
  const heads = lists.map(() => 0);
  const bytes = new Uint8Array(lists.reduce((sum, list) => sum + list.bytes.length, 0));
  const offsets = new Uint32Array(lists.reduce((sum, list) => sum + textsIn(list), 0) + 1);
  let [merged, length, since] = [0, 0, 0];
  for (let least = leastHead(lists, heads); least !== undefined; least = leastHead(lists, heads)) {
    const source = lists[least] ?? { bytes, offsets };
    const head = heads[least] ?? 0;
    const [from, to] = [source.offsets[head] ?? 0, source.offsets[head + 1] ?? 0];
    for (const [n, list] of lists.entries()) {
      const at = heads[n] ?? 0;
      if (at >= textsIn(list) || compareBytes(list.bytes, list.offsets[at] ?? 0, list.offsets[at + 1] ?? 0, source.bytes, from, to) !== 0)
        continue;
      (places[n] ?? offsets)[at] = merged;
      heads[n] = at + 1;
    }
    for (let at = from; at < to; at++) bytes[length++] = source.bytes[at] ?? 0;
    offsets[++merged] = length;
    if (++since === 2_048) {
      yield since;
      since = 0;
    }
  }
  yield since;
  return { texts: { bytes: bytes.slice(0, length), offsets: offsets.slice(0, merged + 1) }, places };
}

function leastHead(lists: readonly Texts[], heads: readonly number[]): number | undefined {
  let least: number | undefined;
  for (const [n, list] of lists.entries()) {
    const at = heads[n] ?? 0;
    if (at >= textsIn(list)) continue;
    const other = least === undefined ? undefined : lists[least];
    const head = least === undefined ? 0 : (heads[least] ?? 0);
    if (
      other === undefined ||
      compareBytes(
        list.bytes,
        list.offsets[at] ?? 0,
        list.offsets[at + 1] ?? 0,
        other.bytes,
        other.offsets[head] ?? 0,
        other.offsets[head + 1] ?? 0,
      ) < 0
    )
      least = n;
  }
  return least;
}
