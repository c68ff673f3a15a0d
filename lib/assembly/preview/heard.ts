import { hearsOf, isHeardIn } from '../../../events/reported/hears.ts';
import { dayMs, type EpochMs, plusMs } from '../../core/time.ts';
import type { Node } from '../../nodes/node.ts';
import { isValid } from '../../stations/rows/quorum.ts';
import type { Stations } from '../../stations/stations.ts';

/** Longer than any preview plays. */
const heardForMs = 40 * dayMs;

/**
 * The node as it is if its agent goes on sending heartbeats: its lease does not run out. A node that is silent already
 * stays so.
 */
export function heardOn(node: Node, now: EpochMs): Node {
  const isHeard = node.status === 'up' || node.status === 'joining' || node.status === 'leaving' || node.status === 'quarantined';
  return isHeard && node.leaseUntil > now ? { ...node, leaseUntil: plusMs(now, heardForMs) } : node;
}

/** The node as it is if its agent falls silent now: its last heartbeat has just renewed its lease. */
export const fallenSilent = (node: Node, leaseMs: number, now: EpochMs): Node =>
  'leaseUntil' in node && node.status !== 'suspect' ? { ...node, heardAt: now, leaseUntil: plusMs(now, leaseMs) } : node;

/**
 * The stations as they are if those that are heard go on, except for those on the silent nodes, and no station hears
 * these any more, by index.
 */
export function stationsOn(
  stations: Stations,
  silent: { readonly ids: ReadonlySet<string>; readonly indexes: ReadonlySet<number> },
  now: EpochMs,
): Stations {
  const leases = Object.entries(stations.leases).map(([host, lease]): [string, Stations['leases'][string]] => {
    if (!isValid(lease, now) || silent.ids.has(lease.node)) return [host, lease];
    const { hears } = lease;
    const heard =
      hears && Array.from({ length: hears.size }, (_, index) => index).filter((one) => isHeardIn(hears, one) && !silent.indexes.has(one));
    return [host, { ...lease, renewedAt: plusMs(now, heardForMs), ...(hears && heard && { hears: hearsOf(hears.size, heard) }) }];
  });
  return { ...stations, leases: Object.fromEntries(leases) };
}
