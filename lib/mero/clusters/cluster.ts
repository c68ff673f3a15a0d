import * as z from 'zod';
import { Fid } from '../../core/fid.ts';
import { ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';

/** What is wanted of a storage cluster. */
export const Disposition = z.enum(['ONLINE', 'OFFLINE']);
export type Disposition = z.infer<typeof Disposition>;

/**
 * The levels that a cluster goes through: −1 nothing runs, 0 confd, 1 servers, 2 kernel clients, 3 managed
 * applications.
 */
export const levelMax = 3;
export const Level = z.int().min(-1).max(levelMax);

/** How much there is in a cluster. */
export const ClusterSize = z.strictObject({
  nodes: z.int().nonnegative(),
  processes: z.int().nonnegative(),
  services: z.int().nonnegative(),
  devices: z.int().nonnegative(),
});

/** What a storage zone has beyond any zone: the one row that its readers begin with and its plans are fenced by. */
export const StorageCluster = z.strictObject({
  zone: ZoneName,
  /**
   * The load whose rows are there: rows of any other are for nobody. `identity` is the SHA-256 of what it is made of,
   * without fids.
   */
  loaded: z.strictObject({ load: z.string(), identity: z.string(), at: EpochMs, size: ClusterSize }).optional(),
  disposition: Disposition,
  /** Managed processes up to this level are to run, those above are to stop. One write here moves them all. */
  level: Level,
  levelSince: EpochMs,
  /**
   * As the last plan saw it: to be ONLINE, the level up to which everything is there that the next one needs; to be
   * OFFLINE, that above which nothing runs.
   */
  reached: Level,
  /** Since when a step is under way; absent once all is as it is wanted. */
  underWaySince: EpochMs.optional(),
  /** An operator insists on stopping: whoever has had its time is not waited for. */
  forced: z.literal(true).optional(),
  /** The service that is the principal resource manager: that of a confd. */
  principal: Fid.optional(),
  /** The profile that processes are told. */
  profile: Fid.optional(),
  /** Its zone has stations: levels change only while a majority of them is heard. */
  stations: z.literal(true).optional(),
  /** Counts what changes what nodes are to run: part of the revision of each node's desired state. */
  goals: z.int().nonnegative(),
  /**
   * Settings under the names of the original's `vars`, in their units; absent ones are as
   * `lib/mero/clusters/rows/vars.ts` says.
   */
  vars: z.record(z.string(), z.union([z.number(), z.boolean()])),
});
export type StorageCluster = z.infer<typeof StorageCluster>;

/** A storage zone as it begins: nothing is loaded, nothing is wanted. */
export const newCluster = (zone: ZoneName, now: EpochMs): StorageCluster => ({
  zone,
  disposition: 'OFFLINE',
  level: -1,
  levelSince: now,
  reached: -1,
  goals: 0,
  vars: {},
});

/** Whether a row is there for readers: one that was added by itself, or is of the load that the cluster has. */
export const isLive = ({ load }: { readonly load?: string | undefined }, { loaded }: Pick<StorageCluster, 'loaded'>): boolean =>
  load === undefined || load === loaded?.load;

/**
 * The number that was given last to anything with a fid in a zone. The row outlives the zone: a fid is one thing's, for
 * ever.
 */
export const FidCounter = z.strictObject({ last: z.int().nonnegative() });
export type FidCounter = z.infer<typeof FidCounter>;

/** How many numbers are taken at once: gaps are allowed, and one conditional write serves a thousand. */
export const fidBlock = 1_000;

/** The row of the storage cluster that a zone of the kind `storage` has, by the name of the zone. */
export const clusterRef = refOf('cluster', StorageCluster);
/** The last fid that was given in a cluster, by the name of its zone. */
export const fidsRef = refOf('fids', FidCounter);
