import type { Tick } from '../decision.ts';
import { planOrder } from '../doors/site-orders.ts';
import type { NodeId } from '../ids.ts';
import type { Node } from '../nodes/node.ts';
import { apply } from '../runtime/apply.ts';
import { applyPlan } from '../runtime/apply-plan.ts';
import { stateOf } from '../runtime/content.ts';
import type { Shell } from '../runtime/shell.ts';
import { decide, type SiteOrdersInput } from '../site-orders/decide.ts';
import type { Wish } from '../site-orders/order.ts';
import { type SiteOrders, siteOrdersRef } from '../site-orders/site-orders.ts';
import { keyOf } from '../table/keys.ts';

/** Time has passed for what is ordered on a site: who was not answered in time is told so, and the rule has the first host power-cycled that is down still and may be. */
export async function tickSiteOrders(shell: Shell, zone: string, tick: Tick): Promise<void> {
  const state = await decided(shell, zone, tick);
  for (const { host, node } of state?.wanted ?? []) {
    const row = await shell.table.read(keyOf({ noun: 'node', id: node }));
    const wish: Wish = { host, by: 'rule', dryRun: state!.power?.auto === 'dry-run', force: false };
    if (stateOf<Node>(row, shell.now())?.status !== 'down') await decided(shell, zone, { type: 'back', host });
    else if (await isOrdered(shell, zone, wish)) return;
  }
}

async function decided(shell: Shell, zone: string, what: SiteOrdersInput | Tick): Promise<SiteOrders | undefined> {
  const input = { ...what, id: `site-${shell.newId()}` };
  const { decision, state } = await apply<SiteOrders, typeof input>(shell, siteOrdersRef(zone), input, decide);
  shell.log('debug', 'site-orders.decided', { zone, does: decision.does, because: decision.because });
  return state;
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

/** Nodes are down, as a majority of the stations of their zone agrees. Costs a read where no rule has them power-cycled. */
export async function wantPowerCycled(shell: Shell, zone: string, nodes: readonly NodeId[]): Promise<void> {
  const orders = stateOf<SiteOrders>(await shell.table.read(keyOf(siteOrdersRef(zone))), shell.now());
  if (!orders?.power || orders.power.auto === 'off') return;
  for (const id of nodes) {
    const node = stateOf<Node>(await shell.table.read(keyOf({ noun: 'node', id })), shell.now());
    if (node?.status === 'down') await decided(shell, zone, { type: 'down', host: node.fqdn, node: id });
  }
}
