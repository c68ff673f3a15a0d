import * as z from 'zod';
import { Hears } from '../../events/reported/hears.ts';
import { Fqdn, NodeId, ZoneName } from '../core/ids.ts';
import { refOf } from '../core/ref.ts';
import { EpochMs, plusMs, secondMs } from '../core/time.ts';

/**
 * How long a heartbeat of a station counts, in ms. Four seconds made leaders change again and again where disks were
 * slow; thirty did not (the original's own finding).
 */
export const leaseMs = 30 * secondMs;
/**
 * How long another station waits before it takes over, in ms: the clocks of two machines may drift apart by a tenth.
 */
export const takeOverMs = Math.round(leaseMs * 1.1);
/**
 * How rarely a station may send a heartbeat, in ms: twice within half a lease, so that one lost heartbeat costs no
 * lease.
 */
export const stationHeartbeatMaxMs = leaseMs / 4;
/**
 * How old a lease is when the next heartbeat renews it, in ms: half of it, less the tenth by which two heartbeats may
 * come early.
 */
export const renewedAfterMs = leaseMs * 0.4;
/** How many stations a zone may have. Three or five are advised; each writes one row every 15 s. */
export const stationsMax = 15;

/**
 * The last heartbeat of a station: which node sent it, when, and which nodes it hears. A lease is renewed once about
 * half of it has passed. `heartbeat`: which heartbeat that was, so that it renews nothing when it is made again; absent
 * where a node-up renewed it. `service`: its recovery-supervisor was registered on that node. `failed`: the coordinator
 * service has failed for good there. Other stations then come first, for as long as this one is heard without a break
 * and does not begin again by itself.
 */
export const StationLease = z.strictObject({
  node: NodeId,
  renewedAt: EpochMs,
  heartbeat: z.strictObject({ incarnation: z.int().nonnegative(), seq: z.int().nonnegative() }).optional(),
  hears: Hears.optional(),
  service: z.literal(true).optional(),
  failed: z.literal(true).optional(),
});
export type StationLease = z.infer<typeof StationLease>;

/** The coordinator, which acts on site: its host, its node, its epoch, and since when it coordinates. */
export const Coordinator = z.strictObject({ host: Fqdn, node: NodeId, epoch: z.int().positive(), since: EpochMs });
export type Coordinator = z.infer<typeof Coordinator>;

/**
 * The last coordinator, which may not know yet that this is over. Its agent may act until `until`, and no other one
 * does before.
 */
export const FormerCoordinator = z.strictObject({ node: NodeId, until: EpochMs });
export type FormerCoordinator = z.infer<typeof FormerCoordinator>;

/**
 * The stations of a zone: hosts that see it from inside the site. A host may be named before it is a node. The row
 * exists from the first naming on; without hosts the zone has no stations.
 */
export const Stations = z.strictObject({
  zone: ZoneName,
  /** In the order of their names, in which they also come to coordinate. */
  hosts: z.array(Fqdn).max(stationsMax),
  /**
   * When this set was named, and by whom: an operator, a host that found itself in a file, or an operator who gave up
   * the set before.
   */
  named: z.strictObject({ at: EpochMs, by: z.enum(['operator', 'host', 'reset']) }),
  /** By host; of hosts that were heard at least once. */
  leases: z.record(z.string(), StationLease),
  /** The highest epoch of any coordinator so far. */
  epoch: z.int().nonnegative(),
  coordinator: Coordinator.optional(),
  former: FormerCoordinator.optional(),
  /** Since when a majority is heard; absent while none is. */
  quorateSince: EpochMs.optional(),
});
export type Stations = z.infer<typeof Stations>;

/** The row of the stations of a zone. */
export const stationsRef = refOf('stations', Stations);

/** When the last heartbeat of a station no longer counts. */
export const lapsesAt = ({ renewedAt }: Pick<StationLease, 'renewedAt'>): EpochMs => plusMs(renewedAt, takeOverMs);
