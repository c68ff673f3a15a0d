import * as z from 'zod';
import { Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

/**
 * The order on site, the host that it concerns, its origin, and the coordinator and epoch that carry it out. With
 * `dryRun` nothing is run.
 */
const about = {
  zone: ZoneName,
  order: z.int().positive(),
  does: z.enum(['power-cycle']),
  host: Fqdn,
  by: z.enum(['operator', 'rule']),
  dryRun: z.boolean(),
  coordinator: NodeId,
  epoch: z.int().positive(),
};
const says = z.string().max(2_000);

/** The coordinating station was ordered to do something on site, once. */
export const SiteOrderOrdered = defineEvent('site-order.ordered', 1, z.strictObject(about));
/**
 * The order was carried out, with this exit code. If the outcome is not `known`, the agent was killed meanwhile: the
 * command may have run, and is not run again.
 */
export const SiteOrderDone = defineEvent(
  'site-order.done',
  1,
  z.strictObject({ ...about, exit: z.int().min(0).max(255).optional(), says, known: z.boolean() }),
);
/** The station's agent refused the order and gives the reason; nothing was run. */
export const SiteOrderRefused = defineEvent('site-order.refused', 1, z.strictObject({ ...about, says }));
/** No answer about the order came in time. It may have run, and Muster gives it to no other station. */
export const SiteOrderExpired = defineEvent('site-order.expired', 1, z.strictObject(about));
