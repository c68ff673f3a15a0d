import { isHeardIn } from '../../events/reported/hears.ts';
import type { EpochMs } from '../units.ts';
import { lapsesAt, type StationLease, type Stations } from './stations.ts';

/** How many of a set are more than half of it. Of the set that was named, and not of those that happen to be there: two halves are none. */
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

/** How many are heard of how many, in words. */
export const saidOf = ({ stations, heard, needed }: Quorum): string =>
  `${heard.length} of ${stations} stations ${heard.length === 1 ? 'is' : 'are'} heard, ${needed} ${needed === 1 ? 'is' : 'are'} needed`;

/** What waits while no majority is heard, and why; undefined where nothing does. */
export function haltOf(stations: Stations | undefined, now: EpochMs): string | undefined {
  if (!stations) return undefined;
  const quorum = quorumOf(stations, now);
  return quorum.isQuorate ? undefined : `no quorum: ${saidOf(quorum)}`;
}

/**
 * Why a silent node is not given up, by what its zone's stations see; undefined where they have nothing against it. A majority of all of them must be
 * heard and not hear it: whoever is not heard, or has not been told of the node yet, says nothing.
 */
export function heldByStations(stations: Stations, index: number | undefined, now: EpochMs): string | undefined {
  const quorum = quorumOf(stations, now);
  if (quorum.stations === 0) return undefined;
  if (!quorum.isQuorate) return `held suspect by the stations of zone ${stations.zone}: ${saidOf(quorum)}; nobody is given up without them`;
  const said = quorum.heard.map((host) => saysOf(stations.leases[host], index));
  const hear = said.filter((heard) => heard === true).length;
  const miss = said.filter((heard) => heard === false).length;
  if (miss >= quorum.needed) return undefined;
  const who = `held suspect by the stations of zone ${stations.zone}`;
  return hear > 0
    ? `${who}: ${hear} of ${quorum.stations} hear it, so that its way to Muster is at fault and not its host`
    : `${who}: ${miss} of ${quorum.stations} do not hear it either, ${quorum.needed} are needed`;
}

const saysOf = (lease: StationLease | undefined, index: number | undefined): boolean | undefined =>
  lease?.hears && index !== undefined ? isHeardIn(lease.hears, index) : undefined;
