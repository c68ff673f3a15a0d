import * as z from 'zod';
import { ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

/** An operator set a storage cluster to ONLINE or OFFLINE. Muster brings its levels up or down accordingly. */
export const ClusterDisposed = defineEvent(
  'cluster.disposed',
  1,
  z.strictObject({ zone: ZoneName, disposition: z.enum(['ONLINE', 'OFFLINE']) }),
);
/**
 * A storage cluster reached a level. On the way up, everything runs that the next level needs; on the way down, nothing
 * runs above the level. Published again when a lost level is restored.
 */
export const ClusterLevelReached = defineEvent(
  'cluster.level-reached',
  1,
  z.strictObject({ zone: ZoneName, level: z.int().min(-1).max(3) }),
);
