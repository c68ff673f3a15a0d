import type { ZoneName } from '../../core/ids.ts';
import type { DigestRow } from '../../nodes/digests/digest.ts';
import { bitsOf, placesOf } from './bits.ts';
import type { Sight } from './judge.ts';
import { type SilenceRow, silentIn, withSilent } from './silence.ts';

/**
 * The entries of the version of a list that a digest is over and, where the digest before it is over another, of that
 * one. Undefined for a version that is not stored any more.
 */
export type Lists = { readonly now: readonly string[] | undefined; readonly former: readonly string[] | undefined };

/** Whether a digest can be judged by a row without the lists: everything is over one version. */
export const isOneVersion = ({ listVersion, before }: DigestRow, row: SilenceRow | undefined): boolean =>
  row?.listVersion === listVersion && (before === undefined || before.listVersion === listVersion);

/** The digest and the one before it, over one version; undefined if that version is not stored any more. */
export function sightOf({ listVersion, at, bits, before }: DigestRow, lists: Lists | undefined): Sight | undefined {
  const now = { listVersion, at, bits };
  if (before === undefined || before.listVersion === listVersion) return lists && !lists.now ? undefined : { ...now, before };
  if (!lists?.now) return undefined;
  return { ...now, before: lists.former && { at: before.at, bits: moved(before.bits, lists.former, lists.now) } };
}

/** The row over the version of the digest; for a node without a row, one that has shown nothing. */
export function carried(row: SilenceRow | undefined, zone: ZoneName, digest: DigestRow, lists: Lists | undefined): SilenceRow {
  const { listVersion, at, before } = digest;
  if (!row) return withSilent({ zone, listVersion, at, seen: new Uint8Array(0) }, []);
  if (row.listVersion === listVersion || !lists?.now) return { ...row, zone };
  const places = placesIn(lists.now);
  const records = silentIn(row).flatMap(({ entry }) => {
    const place = places.get(entry);
    // It is not on the list any more: it has another node by now.
    return place === undefined ? [] : [{ entry, place }];
  });
  const isFormer = lists.former !== undefined && row.listVersion === before?.listVersion;
  const seen = isFormer ? moved(row.seen, lists.former, lists.now) : new Uint8Array(0);
  return withSilent({ ...row, zone, listVersion, seen }, records);
}

const placesIn = (entries: readonly string[]): ReadonlyMap<string, number> => new Map(entries.map((entry, place) => [entry, place]));

/** A set of places in one version as the places of the same entries in another. */
function moved(bits: Uint8Array, from: readonly string[], to: readonly string[]): Uint8Array {
  const places = placesIn(to);
  return bitsOf(placesOf(bits).flatMap((place) => places.get(from[place] ?? '') ?? []));
}
