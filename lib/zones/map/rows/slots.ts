import { hourMs } from '../../../core/time.ts';

/** No node: an owner or a home that is not set. */
export const nobody = 0xffff;
/** The fewest slots of a zone. A zone with this many stores its whole map in the commit itself. */
export const slotsMin = 1024;
/** Slots of one page of the map. */
export const pageSlots = 65_536;
/** Map versions between two page writes; readers apply at most this many deltas. */
export const versionsPerPage = 64;

/** Pages older than this are rewritten when the map has moved since, so that a quiet zone's deltas end too. */
export const pagesEveryMs = 6 * hourMs;

/**
 * How many slots a zone of this many nodes should have: `2^ceil(log2(256 · nodes))`, at least 1,024; 256 per node keep
 * the zone even within 1 %.
 */
export const slotsFor = (nodes: number): number => Math.max(slotsMin, 2 ** Math.ceil(Math.log2(256 * Math.max(1, nodes))));

/**
 * The slot of a client system: the top log2(S) bits of its fingerprint, which is a SHA-256 already. `slots` is a power
 * of two up to 2^28.
 */
export const slotOf = (fp: string, slots: number): number => Number.parseInt(fp.slice(0, 7), 16) >>> (28 - Math.log2(slots));

/** The fingerprints of a slot, as the first and last prefix of 7 hex digits. */
export function slotRange(slot: number, slots: number): { from: string; to: string } {
  const shift = 28 - Math.log2(slots);
  const hex = (n: number) => n.toString(16).padStart(7, '0');
  return { from: hex(slot << shift), to: `${hex(((slot + 1) << shift) - 1)}g` };
}

/**
 * The map of a zone in memory: by slot, the index of the node that owns it now, and of the node to which it returns.
 */
export type SlotMap = { readonly owner: Uint16Array; readonly home: Uint16Array };

/** A map of this many slots without owners. */
export const emptyMap = (slots: number): SlotMap => ({
  owner: new Uint16Array(slots).fill(nobody),
  home: new Uint16Array(slots).fill(nobody),
});

/** Page `page` of a map as stored: 4 B a slot, owner and home, big-endian. */
export function encodePage(map: SlotMap, page: number): Uint8Array {
  const first = page * pageSlots;
  const count = Math.min(pageSlots, map.owner.length - first);
  const bytes = new Uint8Array(count * 4);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < count; i++) {
    view.setUint16(i * 4, map.owner[first + i]!);
    view.setUint16(i * 4 + 2, map.home[first + i]!);
  }
  return bytes;
}

/** Reads a stored page into a map. */
export function decodePage(bytes: Uint8Array, map: SlotMap, page: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0, slot = page * pageSlots; i < bytes.length / 4; i++, slot++) {
    map.owner[slot] = view.getUint16(i * 4);
    map.home[slot] = view.getUint16(i * 4 + 2);
  }
}

/** Moved slots as stored in a delta: 8 B each, slot u32, owner u16, home u16. */
export function encodeDelta(moves: readonly { slot: number; owner: number; home: number }[]): Uint8Array {
  const bytes = new Uint8Array(moves.length * 8);
  const view = new DataView(bytes.buffer);
  moves.forEach(({ slot, owner, home }, i) => {
    view.setUint32(i * 8, slot);
    view.setUint16(i * 8 + 4, owner);
    view.setUint16(i * 8 + 6, home);
  });
  return bytes;
}

/** Applies a stored delta to a map. */
export function applyDelta(bytes: Uint8Array, map: SlotMap): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < bytes.length; i += 8) {
    const slot = view.getUint32(i);
    map.owner[slot] = view.getUint16(i + 4);
    map.home[slot] = view.getUint16(i + 6);
  }
}
