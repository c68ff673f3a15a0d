import * as z from 'zod';
import { InstanceId, NodeId, ServiceTypeName } from '../../lib/core/ids.ts';
import { defineReport } from '../define.ts';
import { Born } from './process.ts';

/**
 * The most entries that a supervisor reports as missed: all that it may watch elsewhere, and the services of its own
 * node.
 */
export const missedMax = 1_100;

/**
 * All supervised nodes and services that a supervisor does not hear: another node, or a `service` of its own node, and
 * for how long, in ms. An empty list means that it hears all of them. The supervisor reports it after its first look,
 * and whenever it changes.
 */
export const SupervisorMissed = defineReport(
  'supervisor.missed',
  1,
  z.strictObject({
    /** The reporting supervisor, as in any report about a service. */
    service: ServiceTypeName,
    instance: InstanceId,
    pid: z.int().positive().optional(),
    born: Born.optional(),
    missed: z.array(z.strictObject({ node: NodeId, service: ServiceTypeName.optional(), forMs: z.int().nonnegative() })).max(missedMax),
  }),
);
export type SupervisorReport = z.infer<typeof SupervisorMissed>;
