import { Fingerprint } from '../../lib/core/ids.ts';
import { slotOf } from '../../lib/zones/map/rows/slots.ts';
import type { ReleaseOrder } from './ledger.ts';

/** Hex digits of a fingerprint that Muster keeps in a list: its first 64 bits. */
const entryDigits = 16;
const entryOf = (fp: string): string => fp.slice(0, entryDigits);

/** A list as Muster answers it: whole, or the changes since the version that the agent named. */
export type ListAnswer = {
  readonly version: number;
  readonly whole: boolean;
  readonly systems: readonly string[];
  readonly gone: readonly string[];
};

/** The list after an answer, in fingerprint order. */
export function mergedList(held: readonly string[], { whole, systems, gone }: Omit<ListAnswer, 'version'>): string[] {
  if (whole) return [...systems].sort();
  const left = new Set(gone.map(entryOf));
  return [...new Set([...held.filter((fp) => !left.has(entryOf(fp))), ...systems])].sort();
}

/** The digest of a list: bit i is set if its i-th entry is seen, lowest bit first, in base64. */
export function digestBits(list: readonly string[], seen: ReadonlySet<string>): string {
  const entries = new Set([...seen].map(entryOf));
  const bytes = Buffer.alloc(Math.ceil(list.length / 8));
  list.forEach((fp, i) => {
    if (entries.has(entryOf(fp))) bytes[i >> 3]! |= 1 << (i & 7);
  });
  return bytes.toString('base64');
}

/**
 * The client systems that are seen and not on the list, in order: either the list is out of date, or they do not belong
 * here.
 */
export function unlisted(list: readonly string[], seen: ReadonlySet<string>): string[] {
  const entries = new Set(list.map(entryOf));
  return [...seen].filter((fp) => !entries.has(entryOf(fp))).sort();
}

/** The client systems that the orders are about, in order: those whose slot the node has lost. */
export function releasedBy(orders: readonly ReleaseOrder[], systems: Iterable<string>): string[] {
  const lost = orders.map(({ zoneSlots, slots }) => ({ zoneSlots, slots: new Set(slots) }));
  return [...new Set(systems)].filter((fp) => lost.some(({ zoneSlots, slots }) => slots.has(slotOf(fp, zoneSlots)))).sort();
}

/** The fingerprints in a text, one a line; ignores blank lines, comments (#) and any other text. */
export function seenIn(text: string): Set<string> {
  const lines = text.split('\n').map((line) => Fingerprint.safeParse(line.trim()));
  return new Set(lines.flatMap((read) => (read.success ? [read.data as string] : [])));
}
