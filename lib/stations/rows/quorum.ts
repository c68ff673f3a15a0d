import { isHeardIn } from '../../../events/reported/hears.ts';
import { few } from '../../core/few.ts';
import type { NodeId } from '../../core/ids.ts';
import { type EpochMs, plusMs, secondMs } from '../../core/time.ts';
import { lapsesAt, leaseMs, type StationLease, type Stations, stationHeartbeatMaxMs } from '../stations.ts';

/**
 * The number of stations that is more than half of a set. The set is all stations that were named, and not those that
 * happen to be there: two halves of a site have no majority.
 */
export const majorityOf = (stations: number): number => Math.floor(stations / 2) + 1;

/**
 * Whether a majority of the stations of a zone is heard, and which stations are. A zone without stations needs none.
 */
export type Quorum = {
  readonly stations: number;
  readonly needed: number;
  readonly heard: readonly string[];
  readonly isQuorate: boolean;
};

/** The quorum of a zone at a moment. */
export function quorumOf({ hosts, leases }: Pick<Stations, 'hosts' | 'leases'>, now: EpochMs): Quorum {
  const heard = hosts.filter((host) => isValid(leases[host], now));
  const needed = hosts.length === 0 ? 0 : majorityOf(hosts.length);
  return { stations: hosts.length, needed, heard, isQuorate: heard.length >= needed };
}

/** Whether the last heartbeat of a station still counts. */
export const isValid = (lease: StationLease | undefined, now: EpochMs): lease is StationLease =>
  lease !== undefined && lapsesAt(lease) > now;

/**
 * The answer to the heartbeat of a station: for how long the heartbeat counts, in ms, the highest epoch, and whether
 * that is its own.
 */
export type StationRight = { readonly leaseMs: number; readonly epoch: number; readonly coordinates: boolean };

/**
 * The rights of the agent of a node whose heartbeat came at `at`. It acts on site no longer than `leaseMs` from when it
 * sent the heartbeat; a tenth of a lease later another may. The heartbeat that was written last counts, because not
 * each heartbeat is written.
 */
export function rightOf({ leases, epoch, coordinator }: Stations, node: NodeId, at: EpochMs): StationRight | undefined {
  const lease = Object.values(leases).find((one) => one.node === node);
  if (!lease) return undefined;
  return { leaseMs: Math.max(0, plusMs(lease.renewedAt, leaseMs) - at), epoch, coordinates: coordinator?.node === node };
}

/**
 * How often a station sends a heartbeat while the coordinator is silent, or was and has no successor yet, in ms: the
 * successor must be informed soon.
 */
const soonMs = 2 * secondMs;

/** How soon a station must send its next heartbeat at the latest, in ms. */
export function stationHeartbeatMs({ leases, coordinator, former }: Stations, now: EpochMs): number {
  const lease = coordinator && leases[coordinator.host];
  const isLate = lease !== undefined && now >= plusMs(lease.renewedAt, leaseMs * 0.6);
  return isLate || (former && !coordinator) ? soonMs : stationHeartbeatMaxMs;
}

/** How many stations are heard and how many are needed, in words. */
export const heardText = ({ stations, heard, needed }: Quorum): string =>
  `${heard.length} of ${stations} stations ${heard.length === 1 ? 'is' : 'are'} heard, ${needed} ${needed === 1 ? 'is' : 'are'} needed`;

/**
 * Whether the coordinator was silent for so long that another may follow. It is still open whether Muster itself did
 * not hear it.
 */
export const isOverdue = ({ leases, coordinator }: Stations, now: EpochMs): boolean =>
  coordinator !== undefined && !isValid(leases[coordinator.host], now);

/** Why the zone waits while no majority is heard; undefined where it does not wait. */
export function haltOf(stations: Stations | undefined, now: EpochMs): string | undefined {
  if (!stations) return undefined;
  const quorum = quorumOf(stations, now);
  return quorum.isQuorate ? undefined : `no quorum: ${heardText(quorum)}`;
}

/**
 * Why a silent node is not given up, by the heartbeats of its zone's stations; undefined where they have nothing
 * against it. A majority of all stations must be heard and must not hear the node. A station that is not heard, or does
 * not know of the node yet, has no say, and no station speaks for itself.
 */
export function heldByStations(
  stations: Stations,
  { id, index }: { readonly id: string; readonly index?: number | undefined },
  now: EpochMs,
): string | undefined {
  const quorum = quorumOf(stations, now);
  if (quorum.stations === 0) return undefined;
  const who = `held suspect by the stations of zone ${stations.zone}`;
  if (!quorum.isQuorate) return `${who}: ${heardText(quorum)}; no node is given up without them`;
  const others = quorum.heard.filter((host) => stations.leases[host]!.node !== id);
  const thatSay = (heard: boolean) => others.filter((host) => voteOf(stations.leases[host], index) === heard);
  const [hear, miss] = [thatSay(true), thatSay(false)];
  if (miss.length >= quorum.needed) return undefined;
  return hear.length > 0
    ? `${who}: ${hear.length} of ${quorum.stations} hear it (${named(hear)}), so its path to Muster is at fault and not its host`
    : `${who}: ${miss.length} of ${quorum.stations} do not hear it either, ${quorum.needed} are needed`;
}

/** How many stations are named in a reason. */
const namedMax = 5;

const named = (hosts: readonly string[]): string => few(hosts, namedMax);

const voteOf = (lease: StationLease | undefined, index: number | undefined): boolean | undefined =>
  lease?.hears && index !== undefined ? isHeardIn(lease.hears, index) : undefined;
