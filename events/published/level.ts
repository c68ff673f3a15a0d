import * as z from 'zod';
import { ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

/** An operator wants a storage cluster to be ONLINE, or OFFLINE; its levels follow. */
export const ClusterDisposed = defineEvent(
  'cluster.disposed',
  1,
  z.strictObject({ zone: ZoneName, disposition: z.enum(['ONLINE', 'OFFLINE']) }),
);
/**
 * A storage cluster has come to a level: on its way up everything up to it is there that the next one needs, on its way
 * down nothing runs above it. Told again when what was lost is back.
 */
export const ClusterLevelReached = defineEvent(
  'cluster.level-reached',
  1,
  z.strictObject({ zone: ZoneName, level: z.int().min(-1).max(3) }),
);
