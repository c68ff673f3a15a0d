import * as z from 'zod';

/**
 * More nodes than a station pings in a round: their addresses are 100 KB of its desired state, and a thousand
 * connections a second.
 */
export const pingsMax = 4_000;

/**
 * The hosts that a station hears, by index in the zone's roster: one bit each, lowest bit first, base64. It covers no
 * index from `size` on: the station does not know those yet.
 */
export const Hears = z
  .strictObject({ size: z.int().nonnegative().max(65_534), bits: z.base64().max(10_924) })
  .refine(({ size, bits }) => Buffer.from(bits, 'base64').length === Math.ceil(size / 8), 'one bit for each index');
export type Hears = z.infer<typeof Hears>;

/** The hosts that a station hears, of `size` indexes, as it is sent. */
export function hearsOf(size: number, heard: Iterable<number>): Hears {
  const bytes = Buffer.alloc(Math.ceil(size / 8));
  for (const index of heard) if (index < size) bytes[index >> 3]! |= 1 << (index & 7);
  return { size, bits: bytes.toString('base64') };
}

/** Whether an index is heard; undefined if the report does not cover it. */
export function isHeardIn({ size, bits }: Hears, index: number): boolean | undefined {
  if (index >= size) return undefined;
  return ((Buffer.from(bits, 'base64')[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
}
