import type { Tick } from '../../core/decision.ts';
import { nodeRef } from '../../nodes/node.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { decided, planOrder } from './changes.ts';
import type { Wish } from './order.ts';

/**
 * Time has passed for what is ordered on a site: who was not answered in time is told so, and the rule has the first
 * host power-cycled that is down still and may be.
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

/** One at a time: whoever may not be yet is tried again in a while, and keeps nobody else from it. */
async function isOrdered(shell: Shell, zone: string, wish: Wish): Promise<boolean> {
  const plan = await applyPlan(shell, { id: `site-${shell.newId()}` }, async (reading) => {
    const planned = await planOrder(shell, reading, zone, wish);
    return planned.does === 'order' ? planned : { ...planned, changes: [], because: [planned.because] };
  });
  shell.log('info', 'site-orders.decided', { zone, does: plan.does, because: plan.because.join('; ') });
  return plan.does === 'order';
}
