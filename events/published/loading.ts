import * as z from 'zod';
import { ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

const count = z.int().nonnegative();

/** Facts were loaded into a storage zone. The counts are the totals of its cluster from now on. */
export const ClusterLoaded = defineEvent(
  'cluster.loaded',
  1,
  z.strictObject({ zone: ZoneName, load: z.string(), nodes: count, processes: count, services: count, devices: count }),
);
