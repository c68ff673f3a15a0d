import { readAddress } from '../../core/address.ts';
import type { AddressRange } from '../language/query.ts';
import { decode, type Texts, textsIn } from './texts.ts';

const [dot, colon, zero, nine] = [0x2e, 0x3a, 0x30, 0x39];

/** The places of the texts that are addresses within one of the ranges. */
export function placesWithin(texts: Texts, ranges: readonly AddressRange[]): number[] {
  const short = ranges.filter(({ version }) => version === 4).map(({ from, to }) => [Number(from), Number(to)] as const);
  const places: number[] = [];
  for (let place = 0; place < textsIn(texts); place++) {
    const [from, to] = [texts.offsets[place] ?? 0, texts.offsets[place + 1] ?? 0];
    const address = readShort(texts.bytes, from, to);
    if (
      address === undefined ? isLongWithin(texts.bytes, from, to, ranges) : short.some(([low, high]) => address >= low && address <= high)
    )
      places.push(place);
  }
  return places;
}

/** Whether a text with a colon is an address within one of the ranges; it may be one of IPv4, mapped into IPv6. */
function isLongWithin(bytes: Uint8Array, from: number, to: number, ranges: readonly AddressRange[]): boolean {
  if (!hasColon(bytes, from, to)) return false;
  const address = readAddress(decode(bytes, from, to));
  return address !== undefined && ranges.some((range) => isIn(range, address));
}

/** What IPv4 addresses have before their 32 bits where they are mapped into IPv6 (RFC 4291, 2.5.5.2). */
const mapped = 0xffffn;

/** Whether an address, of 128 bits, is in a range. */
export function isIn({ version, from, to }: AddressRange, address: bigint): boolean {
  const isShort = address >> 32n === mapped;
  if (isShort !== (version === 4)) return false;
  const bits = isShort ? address & 0xffff_ffffn : address;
  return bits >= from && bits <= to;
}

/**
 * The 32 bits of an IPv4 address in ASCII; undefined for any other text. It is what {@link readAddress} reads, without
 * a text and a bigint for each of a million values.
 */
export function readShort(bytes: Uint8Array, from: number, to: number): number | undefined {
  let [address, part, digits, parts] = [0, 0, 0, 1];
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === dot) {
      if (digits === 0) return undefined;
      address = address * 256 + part;
      [part, digits, parts] = [0, 0, parts + 1];
    } else if (byte >= zero && byte <= nine && !(digits > 0 && part === 0)) {
      part = part * 10 + byte - zero;
      digits += 1;
      if (part > 255) return undefined;
    } else return undefined;
  }
  return parts === 4 && digits > 0 ? address * 256 + part : undefined;
}

function hasColon(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === colon) return true;
  return false;
}
