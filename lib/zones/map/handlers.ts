import type { AdminCall } from '../../access/verify-admin.ts';
import { namesEtag } from '../../api/etag.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { foundZone } from '../reads/found.ts';
import { readDeltaRows, zoneNow } from '../reads/zones.ts';
import type { LoadedZone } from '../rows/loaded.ts';
import { type Counts, countsRef } from '../zone.ts';
import { mapChanges, type PlacedSlot, sinceMax } from './changed.ts';
import { zoneMapView } from './view.ts';

/** The slot map of a zone as it is now: whole, or the slots that changed since the caller's version. */
export async function zoneMap({ params, query, request, caller }: AdminCall<'zoneMap'>, shell: Shell): Promise<Answer> {
  const seen = await foundZone(shell, params.zone, caller);
  const zone = (await zoneNow(shell, params.zone)) ?? seen;
  const counts = (await readRow(shell, countsRef(params.zone)))?.body;
  const headers = { etag: etagOf(zone, counts) };
  if (namesEtag(request.header('if-none-match'), headers.etag)) return { status: 304, headers };
  return { status: 200, headers, body: zoneMapView(zone, counts, await changedSince(shell, zone, query)) };
}

/** The version of everything in the answer: the number of a zone is never given to another one of its name. */
const etagOf = ({ head }: LoadedZone, counts: Counts | undefined): string => `"${head.number}.${head.version}.${counts?.at ?? 0}"`;

/** The slots that changed since a version of the map of as many slots; undefined when they are not known any more. */
async function changedSince(
  shell: Shell,
  zone: LoadedZone,
  { since, slots }: AdminCall<'zoneMap'>['query'],
): Promise<PlacedSlot[] | undefined> {
  const { name, mapVersion, slots: now } = zone.head;
  // Slots are split without deltas, and only grow in number: the same number means that there was no split.
  if (since === undefined || slots !== now || since > mapVersion) return undefined;
  if (since === mapVersion) return [];
  if (mapVersion - since > sinceMax) return undefined;
  const rows = await readDeltaRows(shell, name, since - 1);
  return mapChanges(
    rows.map(({ body, expiresAt }) => ({ ...body, isEnding: expiresAt !== undefined && expiresAt <= shell.now() })),
    { since, mapVersion, map: zone.map },
  );
}
