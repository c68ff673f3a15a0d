import * as z from 'zod';
import { Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

/**
 * Which order on site, about which host, by whom, and under which epoch of which node it is carried out; with `dryRun`
 * nothing is run.
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

/** Something is to be done on site, by the station that coordinates, once. */
export const SiteOrderOrdered = defineEvent('site-order.ordered', 1, z.strictObject(about));
/**
 * It was carried out, with this exit code. Where that is not `known`, the agent was killed meanwhile: it may have run,
 * and is not run again.
 */
export const SiteOrderDone = defineEvent(
  'site-order.done',
  1,
  z.strictObject({ ...about, exit: z.int().min(0).max(255).optional(), says, known: z.boolean() }),
);
/** The station's agent did not do it, and says why; nothing was run. */
export const SiteOrderRefused = defineEvent('site-order.refused', 1, z.strictObject({ ...about, says }));
/** Nothing was heard of it in time: it may have run, and is handed to nobody else. */
export const SiteOrderExpired = defineEvent('site-order.expired', 1, z.strictObject(about));
