import type { Concluded } from '../../core/decision.ts';
import type { ZoneName } from '../../core/ids.ts';
import { type EpochMs, earlier, plusMs } from '../../core/time.ts';
import type { EndedOrder, SiteOrder, SiteOrders } from './site-orders.ts';

/**
 * When the passing of time may change something: an order waits for too long, or the next attempt of the rule is due.
 */
export const dueAt = ({ waiting, wanted: hosts }: SiteOrders, now: EpochMs, retryMs = 0): EpochMs | undefined =>
  waiting.reduce<EpochMs | undefined>((first, { until }) => earlier(first, until), hosts.length > 0 ? plusMs(now, retryMs) : undefined);

/** An event about an order. */
export const about = (type: string, zone: ZoneName, { n, host, by, dryRun, node, epoch }: SiteOrder, more: object = {}): Concluded => ({
  type,
  version: 1,
  data: { zone, order: n, does: 'power-cycle', host, by, dryRun, coordinator: node, epoch, ...more },
});

/** The event that is published about an order that is over. */
export function eventOf(zone: ZoneName, { outcome, exit, says, ...order }: EndedOrder): Concluded {
  if (outcome === 'refused') return about('site-order.refused', zone, order, { says });
  if (outcome === 'expired') return about('site-order.expired', zone, order);
  return about('site-order.done', zone, order, { ...(exit !== undefined && { exit }), says, known: outcome === 'done' });
}
