import * as z from 'zod';
import { Fid } from '../../core/fid.ts';
import { ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';

/** The goal of a storage cluster. */
export const Disposition = z.enum(['ONLINE', 'OFFLINE']);
export type Disposition = z.infer<typeof Disposition>;

/**
 * The levels that a cluster goes through: −1 nothing runs, 0 confd, 1 servers, 2 kernel clients, 3 managed
 * applications.
 */
export const levelMax = 3;
export const Level = z.int().min(-1).max(levelMax);

/** How many things there are in a cluster. */
export const ClusterSize = z.strictObject({
  nodes: z.int().nonnegative(),
  processes: z.int().nonnegative(),
  services: z.int().nonnegative(),
  devices: z.int().nonnegative(),
});

/** The row that only a storage zone has: readers begin with it, and it fences plans. */
export const StorageCluster = z.strictObject({
  zone: ZoneName,
  /**
   * The load whose rows count: rows of any other load are invisible. `identity` is the SHA-256 of its content, without
   * fids.
   */
  loaded: z.strictObject({ load: z.string(), identity: z.string(), at: EpochMs, size: ClusterSize }).optional(),
  disposition: Disposition,
  /** Managed processes up to this level must run, those above must stop. One write here moves them all. */
  level: Level,
  levelSince: EpochMs,
  /**
   * As of the last plan. While it must be ONLINE: the level up to which everything is there that the next one needs.
   * While it must be OFFLINE: the level above which nothing runs.
   */
  reached: Level,
  /** Since when a step is under way; absent once all is as wanted. */
  underWaySince: EpochMs.optional(),
  /** An operator forced the stop: processes that exceed their time are not waited for. */
  forced: z.literal(true).optional(),
  /** The service of a confd that is the principal resource manager. */
  principal: Fid.optional(),
  /** The profile that processes are configured with. */
  profile: Fid.optional(),
  /** Its zone has stations: levels change only while a majority of them is heard. */
  stations: z.literal(true).optional(),
  /** Counts the changes to what nodes must run: part of the revision of each node's desired state. */
  goals: z.int().nonnegative(),
  /**
   * Settings under the names of the original's `vars`, in their units; absent ones are as
   * `lib/mero/clusters/rows/vars.ts` says.
   */
  vars: z.record(z.string(), z.union([z.number(), z.boolean()])),
});
export type StorageCluster = z.infer<typeof StorageCluster>;

/** A storage zone at its beginning: nothing is loaded, and nothing must run. */
export const newCluster = (zone: ZoneName, now: EpochMs): StorageCluster => ({
  zone,
  disposition: 'OFFLINE',
  level: -1,
  levelSince: now,
  reached: -1,
  goals: 0,
  vars: {},
});

/** Whether a row counts for readers: it was added by itself, or is of the load that the cluster has. */
export const isLive = ({ load }: { readonly load?: string | undefined }, { loaded }: Pick<StorageCluster, 'loaded'>): boolean =>
  load === undefined || load === loaded?.load;

/**
 * The last number that was given to anything with a fid in a zone. The row outlives the zone: a fid belongs to one
 * thing forever.
 */
export const FidCounter = z.strictObject({ last: z.int().nonnegative() });
export type FidCounter = z.infer<typeof FidCounter>;

/** How many numbers are taken at once: gaps are allowed, and one conditional write serves a thousand. */
export const fidBlock = 1_000;

/** The row of the storage cluster that a zone of the kind `storage` has, by the name of the zone. */
export const clusterRef = refOf('cluster', StorageCluster);
/** The last fid given in a cluster, by the name of its zone. */
export const fidsRef = refOf('fids', FidCounter);
