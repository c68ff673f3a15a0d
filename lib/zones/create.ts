import { type Concluded, type Plan, type RowRef, write } from '../core/decision.ts';
import type { ZoneName } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import { clusterRef, newCluster, type StorageCluster } from '../mero/clusters/cluster.ts';
import { gateRef, type ZoneGate } from './gate/gate.ts';
import { emptyMap, encodePage, pageSlots, slotsMin } from './map/rows/slots.ts';
import { countedSlots } from './map/split.ts';
import { type Counts, countsRef, type MapPage, mapRef, newZone, type Revoked, revokedRef, type ZoneHead, zoneRef } from './zone.ts';

/** The settings that an operator may give for a new zone. */
export type AskedZone = { readonly [F in 'kind' | 'remapAfterMs' | 'readmit']?: ZoneHead[F] | undefined };
/**
 * What an earlier zone of this name left: the revisions of its rows, and its version, from which the new zone
 * continues. A reader with the earlier zone in memory would take a lower version for an older one.
 */
export type LeftBehind = { readonly revOf: (ref: RowRef) => number; readonly version: number };

/** The rows that a zone with this many slots begins with, besides its head and its gate. */
export const bodyRefs = (name: string, slots: number): RowRef[] => [
  ...Array.from({ length: Math.ceil(slots / pageSlots) }, (_, page) => mapRef(`${name}/${page}`)),
  revokedRef(name),
  countsRef(name),
];

const none: LeftBehind = { revOf: () => 0, version: 0 };

/**
 * The rows of a new zone: head, map, revocations, counts, its gate, and the cluster of a storage zone. Emits
 * `zone.created` when an operator asked for the zone.
 */
export function planZone(
  name: ZoneName,
  number: number,
  now: EpochMs,
  slots = slotsMin,
  { asked, left = none }: { readonly asked?: AskedZone; readonly left?: LeftBehind } = {},
): Plan {
  const because = `zone ${name} created`;
  const cells = emptyMap(slots);
  const version = left.version;
  const usual = newZone(name, number, slots);
  const { kind = usual.kind, remapAfterMs = usual.remapAfterMs, readmit = usual.readmit } = asked ?? {};
  const atOnce = asked?.remapAfterMs === 0;
  const head: ZoneHead = {
    ...usual,
    kind,
    remapAfterMs,
    readmit,
    ...(atOnce && { remapAtOnce: true as const }),
    version,
    mapVersion: version,
    membersVersion: version,
  };
  const events: Concluded[] = asked ? [{ type: 'zone.created', version: 1, data: { zone: name, number, kind: head.kind } }] : [];
  const map = (page: number) => write<MapPage, never>({ version, cells: encodePage(cells, page) }, because);
  const revoked = write<Revoked, never>({ version, entries: new Uint8Array(0), tokensBefore: 0 }, because);
  const cluster = { ref: clusterRef(name), decision: write<StorageCluster, never>(newCluster(name, now), because) };
  const counts = write<Counts, never>({ at: now, perSlot: new Uint8Array(countedSlots(slots) * 2) }, because, { wakeAt: now });
  const changes = [
    { ref: zoneRef(name as string), decision: write(head, because, { events }) },
    ...bodyRefs(name, slots).map((ref, page) => ({
      ref,
      decision: ref.noun === 'map' ? map(page) : ref.noun === 'revoked' ? revoked : counts,
    })),
    { ref: gateRef(number), decision: write<ZoneGate, never>({ name }, because) },
    ...(kind === 'storage' ? [cluster] : []),
  ];
  return { because: [because], changes: changes.map((change) => ({ ...change, readRev: left.revOf(change.ref) })) };
}
