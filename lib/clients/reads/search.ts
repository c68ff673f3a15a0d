import type { AdminCaller } from '../../access/verify-admin.ts';
import { isEverywhere, seesZone } from '../../access/zones-of-caller.ts';
import type { NodeId } from '../../core/ids.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Fleet } from '../../search/reads/fleet.ts';
import { partOfNoZone } from '../../search/reads/taken.ts';
import { type Answer, type Request, search } from '../../search/segment/search.ts';
import type { Snapshot } from '../../search/segment/search-index.ts';
import type { Segment } from '../../search/segment/segment.ts';
import { besideOf, waitingIn } from '../../search/systems/beside.ts';
import { zoneOf } from '../../zones/reads/zones.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import { seenOf } from './coverage.ts';

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

/**
 * The client systems of the caller's zones, and of no zone for callers who are limited to none. `byDigests`: the status
 * of those who have not confirmed goes by the digests of their nodes, as their calls and views do; that costs two rows
 * a node, and the pages of its list that they are on.
 */
export async function searchable(shell: Shell, { parts }: Fleet, caller: AdminCaller, byDigests: boolean): Promise<Searchable> {
  const visible = [...parts].filter(([part]) => (part === partOfNoZone ? isEverywhere(caller) : seesZone(caller, part)));
  const now = shell.now();
  const snapshots = new Map<string, Snapshot>();
  const of = new Map<Segment, LoadedZone | undefined>();
  await Promise.all(
    visible.map(async ([part, index]) => {
      const zone = part === partOfNoZone ? undefined : await zoneOf(shell, part);
      const snapshot = index.snapshot();
      snapshots.set(part, snapshot);
      for (const { segment } of snapshot) of.set(segment, zone);
    }),
  );
  const seen = byDigests ? await seenIn(shell, of) : new Set<string>();
  const known = new Map([...of].map(([segment, zone]) => [segment, besideOf(segment, { zone, now, seen })]));
  return {
    parts: visible.map(([part]) => part),
    size: visible.reduce((sum, [, index]) => sum + index.size, 0),
    search: (wanted, part) =>
      search(part === undefined ? [...snapshots.values()].flat() : (snapshots.get(part) ?? []), {
        ...wanted,
        besideOf: (segment) => known.get(segment) ?? besideOf(segment, { zone: undefined, now, seen }),
      }),
  };
}

/**
 * The client systems that the digests of their nodes confirm. Their rows say so only once they call themselves, and
 * their calls and every view go by the digests until then.
 */
async function seenIn(shell: Shell, zones: ReadonlyMap<Segment, LoadedZone | undefined>): Promise<ReadonlySet<string>> {
  const waiting = [...zones].flatMap(([segment, zone]) =>
    zone ? waitingIn(segment, zone).flatMap(({ index, ...one }) => nodeAt(zone, index).map((node) => ({ ...one, node }))) : [],
  );
  return waiting.length === 0 ? new Set() : seenOf(shell, waiting);
}

const nodeAt = ({ members }: LoadedZone, index: number): NodeId[] => {
  const member = members[index];
  return member ? [member.node] : [];
};
