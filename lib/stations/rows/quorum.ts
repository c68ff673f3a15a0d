import { isHeardIn } from '../../../events/reported/hears.ts';
import type { NodeId } from '../../core/ids.ts';
import { type EpochMs, plusMs, secondMs } from '../../core/time.ts';
import { lapsesAt, leaseMs, type StationLease, type Stations, stationBeatMaxMs } from '../stations.ts';

/**
 * How many of a set are more than half of it. Of the set that was named, and not of those that happen to be there: two
 * halves are none.
 */
export const majorityOf = (stations: number): number => Math.floor(stations / 2) + 1;

/** Whether a majority of the stations of a zone is heard, and which they are. A zone without stations needs none. */
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

/** Whether what was last heard of a station still counts. */
export const isValid = (lease: StationLease | undefined, now: EpochMs): lease is StationLease =>
  lease !== undefined && lapsesAt(lease) > now;

/**
 * What a station is answered that is heard: for how long its word counts, in ms, the highest epoch, and whether that is
 * its own.
 */
export type StationRight = { readonly leaseMs: number; readonly epoch: number; readonly coordinates: boolean };

/**
 * What the agent of a node may go by that said a word at `at`. It acts on site no longer than that from when it sent
 * the word; a tenth of a lease later another may. What was written before the word came counts, as not each word is
 * written.
 */
export function rightOf({ leases, epoch, coordinator }: Stations, node: NodeId, at: EpochMs): StationRight | undefined {
  const lease = Object.values(leases).find((one) => one.node === node);
  if (!lease) return undefined;
  return { leaseMs: Math.max(0, plusMs(lease.renewedAt, leaseMs) - at), epoch, coordinates: coordinator?.node === node };
}

/**
 * How often a station beats while there is a coordinator that is silent, or was and nobody follows yet: whoever follows
 * is to hear so.
 */
const soonMs = 2 * secondMs;

/** How soon a station is to be heard again at the latest, in ms. */
export function stationBeatMs({ leases, coordinator, former }: Stations, now: EpochMs): number {
  const lease = coordinator && leases[coordinator.host];
  const isLate = lease !== undefined && now >= plusMs(lease.renewedAt, leaseMs * 0.6);
  return isLate || (former && !coordinator) ? soonMs : stationBeatMaxMs;
}

/** How many are heard of how many, in words. */
export const saidOf = ({ stations, heard, needed }: Quorum): string =>
  `${heard.length} of ${stations} stations ${heard.length === 1 ? 'is' : 'are'} heard, ${needed} ${needed === 1 ? 'is' : 'are'} needed`;

/**
 * Whether whoever coordinates was not heard for so long that another may: what is left to ask is whether it was us who
 * did not hear.
 */
export const isOverdue = ({ leases, coordinator }: Stations, now: EpochMs): boolean =>
  coordinator !== undefined && !isValid(leases[coordinator.host], now);

/** What waits while no majority is heard, and why; undefined where nothing does. */
export function haltOf(stations: Stations | undefined, now: EpochMs): string | undefined {
  if (!stations) return undefined;
  const quorum = quorumOf(stations, now);
  return quorum.isQuorate ? undefined : `no quorum: ${saidOf(quorum)}`;
}

/**
 * Why a silent node is not given up, by what its zone's stations see; undefined where they have nothing against it. A
 * majority of all of them must be heard and not hear it: whoever is not heard, or has not been told of the node yet,
 * says nothing, and no station speaks for itself.
 */
export function heldByStations(
  stations: Stations,
  { id, index }: { readonly id: string; readonly index?: number | undefined },
  now: EpochMs,
): string | undefined {
  const quorum = quorumOf(stations, now);
  if (quorum.stations === 0) return undefined;
  const who = `held suspect by the stations of zone ${stations.zone}`;
  if (!quorum.isQuorate) return `${who}: ${saidOf(quorum)}; nobody is given up without them`;
  const others = quorum.heard.filter((host) => stations.leases[host]!.node !== id);
  const thatSay = (heard: boolean) => others.filter((host) => saysOf(stations.leases[host], index) === heard);
  const [hear, miss] = [thatSay(true), thatSay(false)];
  if (miss.length >= quorum.needed) return undefined;
  return hear.length > 0
    ? `${who}: ${hear.length} of ${quorum.stations} hear it (${named(hear)}), so that its way to Muster is at fault and not its host`
    : `${who}: ${miss.length} of ${quorum.stations} do not hear it either, ${quorum.needed} are needed`;
}

/** How many of them are named in a reason. */
const namedMax = 5;

const named = (hosts: readonly string[]): string =>
  hosts.length > namedMax ? `${hosts.slice(0, namedMax).join(', ')} and ${hosts.length - namedMax} more` : hosts.join(', ');

const saysOf = (lease: StationLease | undefined, index: number | undefined): boolean | undefined =>
  lease?.hears && index !== undefined ? isHeardIn(lease.hears, index) : undefined;
