import * as z from 'zod';
import { ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'bytes');

/**
 * What the digests of a node have shown of its client systems over time: the ones that it has seen, and the ones that
 * it no longer sees. The flag `silentSince` itself is in the row of each client system.
 */
export const SilenceRow = z.strictObject({
  /** The zone of the node, by which callers may see the events of this row. */
  zone: ZoneName,
  /** The version of the node's list to which `seen` and the places in `silent` refer. */
  listVersion: z.int().nonnegative(),
  /** When the digest was received that this row was written by. */
  at: EpochMs,
  /** One bit per entry of the list: some digest has shown it. */
  seen: Bytes,
  /**
   * The client systems that have vanished and that no digest has shown since, {@link recordBytes} each: the first 64
   * bits of the fingerprint, then the place in the list, in the order of fingerprints.
   */
  silent: Bytes,
  /** How many they are. */
  count: z.int().nonnegative(),
  /** So many vanished at once that the node itself is the likely cause: since when, and how many. */
  held: z.strictObject({ since: EpochMs, vanished: z.int().positive() }).optional(),
});
export type SilenceRow = z.infer<typeof SilenceRow>;

/** The row of a node's silent client systems, by the id of the node. */
export const silenceRef = refOf('silence', SilenceRow);

/** Bytes of a record of `silent`. */
const recordBytes = 12;
/** Hex digits of a fingerprint in a list of client systems and in a record. */
export const entryDigits = 16;

/** A client system that its node no longer sees: the beginning of its fingerprint, 16 hex digits, and its place. */
export type SilentEntry = { readonly entry: string; readonly place: number };

/** The records of a row, in the order of their fingerprints. */
export function silentIn({ silent }: Pick<SilenceRow, 'silent'>): SilentEntry[] {
  const bytes = Buffer.from(silent.buffer, silent.byteOffset, silent.byteLength);
  return Array.from({ length: bytes.length / recordBytes }, (_, n) => {
    const at = n * recordBytes;
    return { entry: bytes.toString('hex', at, at + entryDigits / 2), place: bytes.readUInt32BE(at + entryDigits / 2) };
  });
}

/** The row with these records. */
export function withSilent(row: Omit<SilenceRow, 'silent' | 'count'>, entries: readonly SilentEntry[]): SilenceRow {
  const bytes = Buffer.alloc(entries.length * recordBytes);
  const inOrder = entries.toSorted((a, b) => (a.entry < b.entry ? -1 : 1));
  for (const [n, { entry, place }] of inOrder.entries()) {
    bytes.write(entry, n * recordBytes, 'hex');
    bytes.writeUInt32BE(place, n * recordBytes + entryDigits / 2);
  }
  return { ...row, silent: new Uint8Array(bytes), count: entries.length };
}
