import * as z from 'zod';
import { Hears } from '../../events/reported/hears.ts';
import { Fqdn, NodeId, ZoneName } from '../core/ids.ts';
import { refOf } from '../core/ref.ts';
import { EpochMs, plusMs, secondMs } from '../core/time.ts';

/**
 * How long a word of a station counts. Four seconds made leaders change again and again where disks were slow; thirty
 * did not (the original's own finding).
 */
export const leaseMs = 30 * secondMs;
/** How much longer another waits before it takes over: clocks of two machines may drift apart by a tenth. */
export const takeOverMs = Math.round(leaseMs * 1.1);
/** How rarely a station may beat, in ms: twice within half a lease, so that one word that is lost costs nobody his. */
export const stationBeatMaxMs = leaseMs / 4;
/** How old a lease is when the next word renews it: half of it, less the tenth by which two beats may come early. */
export const renewedAfterMs = leaseMs * 0.4;
/** How many stations a zone may have. Three or five are advised; each writes one row every 15 s. */
export const stationsMax = 15;

/**
 * What was last heard of a station: which node spoke for it, when, and whom it heard. A lease is renewed once about
 * half of it has passed. `service`: its recovery-supervisor was registered on that node. `failed`: what coordinates has
 * failed for good there, so that others come first for as long as it is heard without a break and does not begin again
 * by itself.
 */
export const StationLease = z.strictObject({
  node: NodeId,
  renewedAt: EpochMs,
  hears: Hears.optional(),
  service: z.literal(true).optional(),
  failed: z.literal(true).optional(),
});
export type StationLease = z.infer<typeof StationLease>;

/** Who acts on site: the node of which station, which number of its kind, and since when. */
export const Coordinator = z.strictObject({ host: Fqdn, node: NodeId, epoch: z.int().positive(), since: EpochMs });
export type Coordinator = z.infer<typeof Coordinator>;

/** Who coordinated last and may not know yet that this is over: until then its agent may act, and no other one does. */
export const FormerCoordinator = z.strictObject({ node: NodeId, until: EpochMs });
export type FormerCoordinator = z.infer<typeof FormerCoordinator>;

/**
 * The stations of a zone: hosts that see it from inside the site. A host may be named before it is a node. The row is
 * there from the first naming on; without hosts the zone has none.
 */
export const Stations = z.strictObject({
  zone: ZoneName,
  /** In the order of their names, which is that in which they are asked to coordinate. */
  hosts: z.array(Fqdn).max(stationsMax),
  /**
   * When this set was named, and whether by an operator, by a host that found itself in a file, or by an operator who
   * gave the set before up.
   */
  named: z.strictObject({ at: EpochMs, by: z.enum(['operator', 'host', 'reset']) }),
  /** By host; of hosts that were heard at least once. */
  leases: z.record(z.string(), StationLease),
  /** The highest number that a coordinator was ever given. */
  epoch: z.int().nonnegative(),
  coordinator: Coordinator.optional(),
  former: FormerCoordinator.optional(),
  /** Since when a majority is heard; absent while none is. */
  quorateSince: EpochMs.optional(),
});
export type Stations = z.infer<typeof Stations>;

/** The row of the stations of a zone. */
export const stationsRef = refOf('stations', Stations);

/** When what was last heard of a station counts no more. */
export const lapsesAt = ({ renewedAt }: Pick<StationLease, 'renewedAt'>): EpochMs => plusMs(renewedAt, takeOverMs);
