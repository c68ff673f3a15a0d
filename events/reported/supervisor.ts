import * as z from 'zod';
import { InstanceId, NodeId, ServiceTypeName } from '../../lib/core/ids.ts';
import { defineReport } from '../define.ts';
import { Born } from './process.ts';

/**
 * How many a supervisor says at the most that it misses: all that it may watch elsewhere, and the services of its own
 * node.
 */
export const missedMax = 1_100;

/**
 * Whom a supervisor does not hear of those that it watches, all of them: of another node, or `service` of its own, and
 * for how long, in ms. An empty list says that it hears everybody. It says so when that changes, and once it has looked
 * for the first time.
 */
export const SupervisorMissed = defineReport(
  'supervisor.missed',
  1,
  z.strictObject({
    /** Which supervisor says so: as in any word about a service. */
    service: ServiceTypeName,
    instance: InstanceId,
    pid: z.int().positive().optional(),
    born: Born.optional(),
    missed: z.array(z.strictObject({ node: NodeId, service: ServiceTypeName.optional(), forMs: z.int().nonnegative() })).max(missedMax),
  }),
);
export type SupervisorReport = z.infer<typeof SupervisorMissed>;
