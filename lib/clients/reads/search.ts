import type { AdminCaller } from '../../access/verify-admin.ts';
import { isEverywhere, seesZone } from '../../access/zones-of-caller.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Fleet, partOfNoZone } from '../../search/reads.ts';
import type { Beside } from '../../search/segment/evaluate.ts';
import { type Answer, type Request, search } from '../../search/segment/search.ts';
import type { Snapshot } from '../../search/segment/search-index.ts';
import type { Segment } from '../../search/segment/segment.ts';
import { besideOf } from '../../search/systems/beside.ts';
import { zoneOf } from '../../zones/reads/zones.ts';

/** A query of client systems, without what their zones say of them. */
export type Wanted = Omit<Request, 'besideOf'>;

/**
 * The client systems that a caller may see, as they are at this moment, ready to be searched by the maps of their
 * zones: all together, or those of one part, which is a zone or of no zone. The result of a part that the caller may
 * not see, or that has none, is that of an empty one.
 */
export type Searchable = {
  readonly parts: readonly string[];
  /** How many client systems there are in all of them, expired ones that are still indexed included. */
  readonly size: number;
  readonly search: (wanted: Wanted, part?: string) => Answer;
};

/** The client systems of the caller's zones, and of no zone for callers who are limited to none. */
export async function searchable(shell: Shell, { parts }: Fleet, caller: AdminCaller): Promise<Searchable> {
  const seen = [...parts].filter(([part]) => (part === partOfNoZone ? isEverywhere(caller) : seesZone(caller, part)));
  const now = shell.now();
  const snapshots = new Map<string, Snapshot>();
  const beside = new Map<Segment, Beside>();
  await Promise.all(
    seen.map(async ([part, index]) => {
      const zone = part === partOfNoZone ? undefined : await zoneOf(shell, part);
      const snapshot = index.snapshot();
      snapshots.set(part, snapshot);
      for (const { segment } of snapshot) beside.set(segment, besideOf(segment, zone, now));
    }),
  );
  const known = (segment: Segment): Beside => beside.get(segment) ?? besideOf(segment, undefined, now);
  return {
    parts: seen.map(([part]) => part),
    size: seen.reduce((sum, [, index]) => sum + index.size, 0),
    search: (wanted, part) =>
      search(part === undefined ? [...snapshots.values()].flat() : (snapshots.get(part) ?? []), { ...wanted, besideOf: known }),
  };
}
