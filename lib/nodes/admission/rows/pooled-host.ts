import * as z from 'zod';
import { Fingerprint, Fqdn, NodeId, PublicKey, WatchAddress, ZoneName } from '../../../core/ids.ts';
import { refOf } from '../../../core/ref.ts';
import { dayMs, EpochMs, minuteMs } from '../../../core/time.ts';
import { NodeKind } from '../../node.ts';

/** How long a host that is not admitted is remembered after it was last seen. */
export const pooledForMs = 30 * dayMs;
/** How soon a host in the pool should ask again. */
export const askAgainMs = minuteMs;
/** The shortest time between two writes for a host that is only seen again. */
export const seenEveryMs = 60 * minuteMs;

const host = {
  fp: Fingerprint,
  publicKey: PublicKey,
  fqdn: Fqdn,
  kind: NodeKind,
  /** The zone that it asks for; absent: it asks for none. */
  zone: ZoneName.optional(),
  watch: WatchAddress,
  capacity: z.int().positive().optional(),
  /** The network address that it called from last. */
  source: z.string(),
  firstSeenAt: EpochMs,
  seenAt: EpochMs,
};

/**
 * A host that asked to be a node and that no token or rule admitted: it waits, is admitted with its next call, or was
 * rejected.
 */
export const PooledHost = z.discriminatedUnion('standing', [
  z.strictObject({ ...host, standing: z.literal('waiting') }),
  /**
   * `as`: the zone and kind that it was admitted with, which its next join gets, and the node whose place it takes.
   * `anyWatch`: it may be watched at the address in this row, which is not its own.
   */
  z.strictObject({
    ...host,
    standing: z.literal('admitted'),
    as: z.strictObject({ zone: ZoneName, kind: NodeKind, replaces: NodeId.optional(), anyWatch: z.literal(true).optional() }),
    admittedAt: EpochMs,
  }),
  z.strictObject({ ...host, standing: z.literal('rejected'), rejectedAt: EpochMs }),
]);
export type PooledHost = z.infer<typeof PooledHost>;
/**
 * The zone whose administrators see a host in the pool and decide on it; undefined: only callers with the right in
 * every zone do.
 */
export const zoneOfHost = (host: PooledHost): ZoneName | undefined => (host.standing === 'admitted' ? host.as.zone : host.zone);
export type PooledHostIn<S extends PooledHost['standing']> = Extract<PooledHost, { standing: S }>;

/** A host that asked to be a node, by its fingerprint. */
export const poolRef = refOf('pooled-host', PooledHost);
