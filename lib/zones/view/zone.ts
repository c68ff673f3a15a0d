import type { EpochMs } from '../../core/time.ts';
import { hostsClients, zoneCapacity } from '../capacity/crowding.ts';
import { forecastOf } from '../forecast.ts';
import { guardrailsView } from '../guardrails/view.ts';
import { generationAt, standingAt } from '../map/rows/roster.ts';
import { nobody } from '../map/rows/slots.ts';
import { standingOf, viewedStanding } from '../map/rows/standing.ts';
import { countsBySlot } from '../map/split.ts';
import { hadBy, nowOf, pinnedWithRoom, uncounted } from '../pins/pins.ts';
import { zoneKeepMs } from '../placing/keep.ts';
import { recoveriesView } from '../placing/recovery.ts';
import type { Forecast, ZoneView } from '../routes.ts';
import { modeOf } from '../rows/admission.ts';
import type { Retention } from '../rows/kept.ts';
import { type LoadedZone, slotsOwned } from '../rows/loaded.ts';
import { pastPlaces } from '../rows/places.ts';
import { type Counts, countAt } from '../zone.ts';

/** Accepted client systems by node index, from the last count. */
export function systemsByNode({ map, head, pins }: LoadedZone, counts: Counts | undefined): Map<number, number> {
  const byNode = new Map<number, number>();
  if (!counts) return byNode;
  for (const [slot, count] of countsBySlot(counts, head.slots).entries()) {
    const owner = map.owner[slot]!;
    byNode.set(owner, (byNode.get(owner) ?? 0) + count);
  }
  // Just after a split, or beyond 65,536 slots, a slot has a fraction of a client.
  for (const [owner, count] of byNode) byNode.set(owner, Math.round(count));
  for (const one of pins.values()) byNode.set(nowOf(one), (byNode.get(nowOf(one)) ?? 0) + hadBy(one));
  return byNode;
}

/** All accepted client systems of a count, and those that nodes have by pins, as far as they need room in the zone. */
export function clientsCounted(counts: Counts | undefined, { head, pins }: LoadedZone, now: EpochMs): number {
  let sum = pinnedWithRoom(pins, (index) => hostsClients(head, index, now)) + (counts ? uncounted(pins.values(), counts.at) : 0);
  for (let slot = 0; slot < (counts?.perSlot.length ?? 0) / 2; slot++) sum += countAt(counts!.perSlot, slot);
  return sum;
}

/** How full a zone is by the declared capacity of its nodes, as the API shows it; empty where a node declares none. */
function capacityView(zone: LoadedZone, counts: Counts | undefined, now: EpochMs): Pick<ZoneView, 'capacity' | 'crowded'> {
  const { crowded } = zone.head;
  const capacity = zoneCapacity(zone, now);
  return {
    ...(capacity && { capacity: { ...capacity, filled: clientsCounted(counts, zone, now) } }),
    ...(crowded && { crowded: { since: iso(crowded.since), slots: crowded.slots, systemsAbout: crowded.clients } }),
  };
}

/** When all client systems that wait are placed, as the API shows it. */
export function forecastView(zone: LoadedZone, counts: Counts | undefined, now: EpochMs): Forecast | undefined {
  const forecast = forecastOf(zone, counts, now);
  if (!forecast) return undefined;
  const { at, waiting, because } = forecast;
  return { ...(at !== undefined && waiting === 0 && { allPlacedAt: iso(at) }), because };
}

const retentionView = ({ members }: LoadedZone, { index, since, until }: Retention, systems: ReadonlyMap<number, number>) => ({
  fqdn: members[index]!.fqdn,
  since: iso(since),
  ...(until !== undefined && { until: iso(until) }),
  systemsAbout: systems.get(index) ?? 0,
});

const iso = (at: EpochMs): string => new Date(at).toISOString();

/**
 * A zone as the API and the CLI show it, its map in summary; `unsignedClients`: whether it allows clients that never
 * sign.
 */
export function zoneView(
  zone: LoadedZone,
  because: string,
  { counts, unsignedClients, now }: { counts: Counts | undefined; unsignedClients: boolean; now: EpochMs },
): ZoneView {
  const { head, map, members } = zone;
  const owned = slotsOwned(zone);
  const systems = systemsByNode(zone, counts);
  const keepMs = zoneKeepMs(zone);
  const forecast = forecastView(zone, counts, now);
  const past = pastPlaces(zone);
  return {
    name: head.name,
    number: head.number,
    kind: head.kind,
    mode: head.mode,
    version: head.version,
    because,
    ...(keepMs !== undefined && { remapAfterMs: keepMs }),
    ...(head.meanwhile && { meanwhile: head.meanwhile }),
    readmit: head.readmit,
    unsignedClients,
    epoch: head.epoch,
    systemsAbout: [...systems.values()].reduce((sum, n) => sum + n, 0),
    ...(counts && { countedAt: new Date(counts.at).toISOString() }),
    ...guardrailsView(head.brakes),
    ...capacityView(zone, counts, now),
    ...(forecast && { forecast }),
    ...(head.rtoMs !== undefined && { rtoMs: head.rtoMs }),
    ...(head.page !== undefined && { page: head.page }),
    ...(head.admission && {
      admission: modeOf(head.admission),
      admitAtMostEveryMs: head.admission.atMostEveryMs,
      readyWithinMs: head.admission.readyWithinMs,
    }),
    ...((head.recovering ?? head.recovered) && { recoveries: recoveriesView(head, now) }),
    ...(head.kept && { kept: head.kept.map((one) => retentionView(zone, one, systems)) }),
    map: {
      slots: head.slots,
      version: head.mapVersion,
      unowned: map.owner.reduce((sum, owner) => sum + (owner === nobody ? 1 : 0), 0),
      awayFromHome: map.owner.reduce((sum, owner, slot) => sum + (owner !== nobody && map.home[slot] !== owner ? 1 : 0), 0),
      nodes: members.flatMap((member, index) =>
        member && !past.has(index)
          ? [
              {
                node: member.node,
                fqdn: member.fqdn,
                standing: viewedStanding(standingOf(standingAt(head.roster, index))),
                generation: generationAt(head.roster, index),
                slots: owned[index] ?? 0,
                systemsAbout: systems.get(index) ?? 0,
                ...(member.capacity !== undefined && { capacity: member.capacity }),
              },
            ]
          : [],
      ),
    },
  };
}
