import { type EpochMs, minuteMs } from '../../core/time.ts';
import { countOf, has, isSameSet, placesOf, union, without } from './bits.ts';
import { type SilenceRow, silentIn } from './silence.ts';

/** The places that a digest shows, and those that the one before shows, both in the same version of the list. */
export type Sight = {
  readonly listVersion: number;
  /** When the digest was received. */
  readonly at: EpochMs;
  readonly bits: Uint8Array;
  /** Undefined when there is none, or when it was over a version that is not stored any more. */
  readonly before: { readonly at: EpochMs; readonly bits: Uint8Array } | undefined;
};

/** What a digest means, beside the row as it makes it. */
export type Judged = {
  /** The row with all that the digest shows, and with the records that it had. */
  readonly next: SilenceRow;
  /** The places that were seen once and that two digests miss. Empty while they are held. */
  readonly vanished: readonly number[];
  /** The entries with a record that the node sees again. */
  readonly returned: readonly string[];
  /** Whether the row must be written although nothing vanished or returned. */
  readonly isNews: boolean;
};

/**
 * Whether so many vanished at once that the node has probably lost its own way to them. A few are always believed,
 * because machines end together, too.
 */
const isMany = (vanished: number, present: number): boolean =>
  (vanished >= 3 && vanished * 2 >= present) || (vanished >= 10 && vanished * 5 >= present);
/**
 * Such a node is believed after this time: nothing is held for ever. It is as long as a zone in which many nodes are
 * silent is held (guard-rail 6).
 */
export const heldForMs = 15 * minuteMs;
/** The row is written for newly seen client systems at most this often; a digest is written as often at least. */
const seenEveryMs = 5 * minuteMs;

/**
 * Judges a digest by what earlier ones have shown. A client system has vanished when some digest has shown it, and two
 * in a row miss it: one digest may miss a client system by chance. `row` refers to the same version of the list.
 */
export function judge(row: SilenceRow, { listVersion, at, bits, before }: Sight): Judged {
  const seen = union(row.seen, bits);
  const records = silentIn(row);
  const known = new Set(records.map(({ place }) => place));
  const returned = records.filter(({ place }) => has(bits, place)).map(({ entry }) => entry);
  const missed = before ? placesOf(without(row.seen, bits, before.bits)).filter((place) => !known.has(place)) : [];
  const since = before && isMany(missed.length, countOf(row.seen) - known.size) ? (row.held?.since ?? before.at) : undefined;
  const { held, ...rest } = row;
  const next = { ...rest, listVersion, at, seen, ...(since !== undefined && { held: { since, vanished: missed.length } }) };
  const isHeld = since !== undefined && at - since < heldForMs;
  const isOfHeld = held?.vanished !== next.held?.vanished;
  return { next, vanished: isHeld ? [] : missed, returned, isNews: isOfHeld || (at - row.at >= seenEveryMs && !isSameSet(seen, row.seen)) };
}
