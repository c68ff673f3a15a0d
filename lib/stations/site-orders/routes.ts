import * as z from 'zod';
import { route } from '../../api/route.ts';
import { Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { bmcsMax, GivenBmc, HostBmc, Power, PowerCommand } from './site-orders.ts';

export { GivenBmc };

const zone = z.strictObject({ zone: ZoneName });
const at = z.iso.datetime();

/**
 * An order on site as people and scripts see it: `waiting` until its station has answered, or no answer came in time.
 */
export const SiteOrderView = z.strictObject({
  order: z.int().positive(),
  does: z.literal('power-cycle'),
  host: Fqdn,
  by: z.enum(['operator', 'rule']),
  dryRun: z.boolean(),
  /** The node whose agent was given the order, once, and under which epoch. */
  coordinator: NodeId,
  epoch: z.int().positive(),
  at,
  until: at,
  state: z.enum(['waiting', 'done', 'refused', 'unknown', 'expired']),
  exit: z.int().optional(),
  says: z.string().optional(),
  endedAt: at.optional(),
});
export type SiteOrderView = z.infer<typeof SiteOrderView>;

/**
 * The orders on the site of a zone, and its settings. `bmcs` are those that were given by hand; only the agents know
 * their passwords.
 */
export const SiteOrdersView = z.strictObject({
  zone: ZoneName,
  power: Power.optional(),
  bmcs: z.array(HostBmc),
  /** The newest first; orders that wait before orders that are over. */
  items: z.array(SiteOrderView),
  /** Hosts that are down and wait for a power cycle by the rule. */
  wanted: z.array(z.strictObject({ host: Fqdn, since: at })),
});
export type SiteOrdersView = z.infer<typeof SiteOrdersView>;

/** The routes of the orders that the coordinator carries out on site. */
export const adminSiteOrderRoutes = {
  getSiteOrders: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/stations/orders',
    summary: 'The orders on the site of a zone, and how hosts are power-cycled there',
    scope: 'read',
    params: zone,
    reply: SiteOrdersView,
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  orderOnSite: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/stations/orders',
    summary:
      'Have the coordinator power-cycle a host, once. Refused without a majority of the stations, for a host that is heard unless force is set, and more often than the zone allows',
    scope: 'admin',
    params: zone,
    body: z.strictObject({ host: Fqdn, dryRun: z.boolean().optional(), force: z.boolean().optional() }),
    reply: SiteOrderView.extend({ because: z.string(), waitMs: z.int().positive() }),
    statuses: [202],
    errors: ['unknown-zone', 'no-quorum', 'refused', 'not-yet'],
  }),
  editPower: route({
    method: 'PATCH',
    path: '/api/v1/zones/{zone}/stations/power',
    summary: 'Set how hosts of a zone are power-cycled: how rarely each, whether the rule does it, and the BMCs that are not in the facts',
    scope: 'admin',
    params: zone,
    body: z.strictObject({
      command: PowerCommand.optional().describe('Refused: each station names its power program in its own configuration'),
      everyMs: Power.shape.everyMs.optional(),
      auto: Power.shape.auto.optional(),
      bmcs: z.array(GivenBmc).max(bmcsMax).optional(),
    }),
    reply: SiteOrdersView.extend({ done: z.boolean(), because: z.string() }),
    statuses: [200],
    errors: ['unknown-zone', 'refused'],
  }),
} as const;
