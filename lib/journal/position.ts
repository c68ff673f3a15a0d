import * as z from 'zod';
import { EpochMs } from '../core/time.ts';

/** How far a reader has read a part: all rows up to `n`, and `k` events of the row after it. */
export type Place = { readonly n: number; readonly k: number };

/** The number of the last row of which a reader has read anything. */
export const lastOf = ({ n, k }: Place): number => (k > 0 ? n + 1 : n);

/**
 * How far a reader has read each part that it knew, at a moment; and the moment with which it began, from which it
 * reads a part that it meets later.
 */
export type Position = { readonly at: EpochMs; readonly begun: EpochMs; readonly places: ReadonlyMap<string, Place> };

/** A position as text, for a cursor. */
export const positionText = ({ at, begun, places }: Position): string =>
  JSON.stringify([at, begun, [...places].map(([part, { n, k }]) => (k === 0 ? [part, n] : [part, n, k]))]);

const Text = z.tuple([EpochMs, EpochMs, z.array(z.tuple([z.string(), z.int()], z.int()))]);

/** The position in a text of {@link positionText}. */
export function positionIn(text: string): Position {
  const [at, begun, places] = Text.parse(JSON.parse(text));
  return { at, begun, places: new Map(places.map(([part, n, k = 0]) => [part, { n, k }])) };
}
