import * as z from 'zod';
import { ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

const count = z.int().nonnegative();

/** Facts were loaded into a storage zone: from now on its cluster has so much of each. */
export const ClusterLoaded = defineEvent(
  'cluster.loaded',
  1,
  z.strictObject({ zone: ZoneName, load: z.string(), nodes: count, processes: count, services: count, devices: count }),
);
