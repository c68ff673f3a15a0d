import type { Tick } from '../../core/decision.ts';
import { nodeRef } from '../../nodes/node.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { decided, planOrder } from './changes.ts';
import type { Wish } from './order.ts';

/**
 * Applies the passing of time to the orders on a site. Orders that were not answered in time expire, and the rule has
 * the first host power-cycled that is still down and may be power-cycled.
 */
export async function tickSiteOrders(shell: Shell, zone: string, tick: Tick): Promise<void> {
  const state = await decided(shell, zone, tick);
  for (const { host, node } of state?.wanted ?? []) {
    const row = await readRow(shell, nodeRef(node));
    const wish: Wish = { host, by: 'rule', dryRun: state!.power?.auto === 'dry-run', force: false };
    if (stateOf(row, shell.now())?.status !== 'down') await decided(shell, zone, { type: 'back', host });
    else if (await isOrdered(shell, zone, wish)) return;
  }
}

/**
 * Whether a power cycle of a host was ordered: one at a time. A host that may not be power-cycled yet is tried again
 * later, and holds up no other host.
 */
async function isOrdered(shell: Shell, zone: string, wish: Wish): Promise<boolean> {
  const plan = await applyPlan(shell, { id: `site-${shell.newId()}` }, async (reading) => {
    const planned = await planOrder(shell, reading, zone, wish);
    return planned.does === 'order' ? planned : { ...planned, changes: [], because: [planned.because] };
  });
  shell.log('info', 'site-orders.decided', { zone, does: plan.does, because: plan.because.join('; ') });
  return plan.does === 'order';
}
