import type { AdminCall } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import type { PlannedChange } from '../../core/decision.ts';
import type { ZoneName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { type Answer, answering } from '../../runtime/on-route.ts';
import { read } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { enteringZone } from '../../zones/changes/gate.ts';
import { foundZone } from '../../zones/reads/found.ts';
import { planOrder } from './changes.ts';
import { decide } from './decide.ts';
import type { SiteOrdersView, SiteOrderView } from './routes.ts';
import { bmcsMax, type EndedOrder, type SiteOrder, type SiteOrders, siteOrdersRef } from './site-orders.ts';

/** Returns the orders on the site of a zone. */
export async function getSiteOrders({ params, caller }: AdminCall<'getSiteOrders'>, shell: Shell): Promise<Answer> {
  const { head } = await foundZone(shell, params.zone, caller);
  const orders = await read(shell, siteOrdersRef(head.name));
  return { status: 200, body: viewOf(head.name, orders) };
}

/** Has the coordinator power-cycle a host. */
export async function orderOnSite({ params, body, request, caller }: AdminCall<'orderOnSite'>, shell: Shell): Promise<Answer> {
  const { head } = await foundZone(shell, params.zone, caller);
  const { host, dryRun = false, force = false } = body;
  const { answer } = await applyPlan(shell, request, async (reading) => {
    const plan = await planOrder(shell, reading, head.name, { host, dryRun, force, by: 'operator' });
    if (plan.does === 'refuse') throw new Refusal(plan.problem, plan.because);
    const waitMs = Math.max(1, plan.order.until - shell.now());
    return answering(shell, plan, { status: 202, body: { ...orderView(plan.order), because: plan.because.join('; '), waitMs } });
  });
  return answer;
}

/** Sets how hosts of a zone are power-cycled. */
export async function editPower({ params, body, request, caller }: AdminCall<'editPower'>, shell: Shell): Promise<Answer> {
  const { head } = await foundZone(shell, params.zone, caller);
  const { bmcs, command, ...power } = body;
  if (command)
    throw new Refusal(
      'refused',
      'a zone does not name the power program: each station does, by power-command in its agent’s configuration',
    );
  const ref = siteOrdersRef(head.name);
  const { decision, before } = await applyPlan(shell, request, async (reading) => {
    const row = await reading.row(ref);
    const before = stateOf(row, shell.now());
    const decision = decide(before, { type: 'configure', zone: head.name, power, bmcs }, shell.now());
    if (decision.does !== 'write') return { changes: [], because: [decision.because], decision, before };
    if (decision.next.bmcs.length > bmcsMax) throw new Refusal('refused', `at most ${bmcsMax} BMCs can be given by hand`);
    const entry = await enteringZone(shell, reading, head.name);
    if ('shut' in entry) throw new Refusal('unknown-zone', entry.shut);
    const changes: PlannedChange[] = [{ ref, readRev: row?.rev ?? 0, decision }, ...entry.changes];
    return { changes, because: [decision.because], decision, before };
  });
  const after = decision.does === 'write' ? decision.next : before;
  return { status: 200, body: { ...viewOf(head.name, after), done: decision.does === 'write', because: decision.because } };
}

const iso = (at: EpochMs): string => new Date(at).toISOString();

function viewOf(zone: ZoneName, orders: SiteOrders | undefined): SiteOrdersView {
  const { power, bmcs = [], waiting = [], ended = [], wanted = [] } = orders ?? {};
  return {
    zone,
    ...(power && { power }),
    bmcs,
    items: [...[...waiting].reverse(), ...[...ended].reverse()].map(orderView),
    wanted: wanted.map(({ host, since }) => ({ host, since: iso(since) })),
  };
}

function orderView({ n, does, host, by, dryRun, node, epoch, at, until, ...how }: SiteOrder | EndedOrder): SiteOrderView {
  const order = { order: n, does, host, by, dryRun, coordinator: node, epoch, at: iso(at), until: iso(until) };
  if (!('outcome' in how)) return { ...order, state: 'waiting' };
  return { ...order, state: how.outcome, ...(how.exit !== undefined && { exit: how.exit }), says: how.says, endedAt: iso(how.endedAt) };
}
