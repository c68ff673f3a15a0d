import * as z from 'zod';
import { route } from '../../api/route.ts';
import { Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { bmcsMax, GivenBmc, HostBmc, Power, PowerCommand } from './site-orders.ts';

export { GivenBmc };

const zone = z.strictObject({ zone: ZoneName });
const at = z.iso.datetime();

/**
 * An order on site as people and scripts see it: `waiting` until its station has answered, or nothing was heard of it
 * in time.
 */
export const SiteOrderView = z.strictObject({
  order: z.int().positive(),
  does: z.literal('power-cycle'),
  host: Fqdn,
  by: z.enum(['operator', 'rule']),
  dryRun: z.boolean(),
  /** Whose agent it was given to, once, and under which epoch. */
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
 * What is ordered on the site of a zone, and how: BMCs are those that were said by hand, of which passwords are known
 * to agents alone.
 */
export const SiteOrdersView = z.strictObject({
  zone: ZoneName,
  power: Power.optional(),
  bmcs: z.array(HostBmc),
  /** The newest first; those that wait before those that are over. */
  items: z.array(SiteOrderView),
  /** Hosts that are down, and that the rule has power-cycled once that may be. */
  wanted: z.array(z.strictObject({ host: Fqdn, since: at })),
});
export type SiteOrdersView = z.infer<typeof SiteOrdersView>;

/** What is done on site by the station that coordinates. */
export const adminSiteOrderRoutes = {
  getSiteOrders: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/stations/orders',
    summary: 'What is ordered on the site of a zone, and how hosts are power-cycled there',
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
      'Have the station that coordinates power-cycle a host, once. Refused without a majority of the stations, for a host that is heard unless with force, and more often than the zone allows',
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
    summary: 'Say how hosts of a zone are power-cycled: how rarely each, whether the rule does it, and where BMCs are that are in no facts',
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
