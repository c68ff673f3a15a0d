import { pingsMax } from '../../events/reported/hears.ts';
import type { DesiredStation } from '../nodes/desired/desired.ts';
import type { Node } from '../nodes/node.ts';
import { read } from '../runtime/read.ts';
import type { Shell } from '../runtime/shell.ts';
import { rosterSize, standingAt } from '../zones/map/rows/roster.ts';
import { admitted } from '../zones/map/rows/standing.ts';
import type { LoadedZone } from '../zones/rows/loaded.ts';
import type { ZoneHead } from '../zones/zone.ts';
import { leaseMs, type Stations, stationsRef } from './stations.ts';

type Head = Pick<ZoneHead, 'stations' | 'membersVersion'> | undefined;

/** Whether a node's host is a station of its zone. */
export const isStationOf = (head: Head, { fqdn }: Pick<Node, 'fqdn'>): boolean => head?.stations?.includes(fqdn) === true;

/**
 * The part of the revision of a node's desired state that comes from being a station: the station is assigned the nodes
 * to look for, and they change with the members of the zone.
 */
export const stationRevision = (head: Head, node: Pick<Node, 'fqdn'>): number => (isStationOf(head, node) ? 1 + head!.membersVersion : 0);

/** The orders to a station: which nodes of its zone to look for, and where. Undefined for any other node. */
export function desiredStation({ head, members }: LoadedZone, node: Pick<Node, 'fqdn'>): DesiredStation | undefined {
  if (!isStationOf(head, node)) return undefined;
  const size = Math.min(rosterSize(head.roster), pingsMax);
  const pings = members.slice(0, size).flatMap((member, index) => {
    return member && admitted(standingAt(head.roster, index)) ? [{ index, address: member.watch }] : [];
  });
  return { leaseMs, size, pings };
}

/** The stations of a zone; undefined where none were ever named. */
export const stationsOf = async (shell: Shell, zone: string): Promise<Stations | undefined> => await read(shell, stationsRef(zone));
