import { Refusal } from '../../../api/problem.ts';
import type { PlannedChange } from '../../../core/decision.ts';
import { desiredRef } from '../../../nodes/desired/desired.ts';
import { decideActed } from '../../../nodes/desired/rows/order.ts';
import { refuseStranger } from '../../../nodes/verify-life.ts';
import { type NodeCaller, nodeOf } from '../../../nodes/verify-node.ts';
import { applyPlan } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { Answer, Call } from '../../../runtime/on-route.ts';
import { read, readRows } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { partScheduled } from '../../../uyuni/actions/changes.ts';
import { decideReport, decideTake, endedOf } from '../decide.ts';
import type { nodeActionRoutes } from '../node-routes.ts';
import { actionOfNodeRef, addedSystemsRef, systemActionRef } from '../rows/system-action.ts';

type Routes = typeof nodeActionRoutes;

/** Gives the agent of a node its part of an action, once; its agent is not asked for it any more. */
export async function takeAction({ params, body, caller, request }: Call<Routes['takeAction'], NodeCaller>, shell: Shell): Promise<Answer> {
  const node = nodeOf(caller);
  refuseStranger(node, body.incarnation);
  const { number } = params;
  const [orderRef, partRef, wantedRef] = [systemActionRef(number), actionOfNodeRef(number, node.id), desiredRef(node.id)];
  const { order, taken } = await applyPlan(shell, request, async (reading) => {
    const [orderRow, partRow, wantedRow] = await reading.rows([orderRef, partRef, wantedRef]);
    const now = shell.now();
    const order = stateOf(orderRow, now);
    const wanted = stateOf(wantedRow, now);
    const isAwaited = wanted?.act?.some((one) => one.number === number && one.until >= now) ?? false;
    const taken = decideTake(stateOf(partRow, now), order, { node: node.id, zone: node.zone, isAwaited }, now);
    const asked = decideActed(wanted, number);
    const changes: PlannedChange[] = [
      { ref: partRef, readRev: partRow?.rev ?? 0, decision: taken, besides: true },
      { ref: wantedRef, readRev: wantedRow?.rev ?? 0, decision: asked, besides: true },
    ];
    return { order, taken, because: [taken.because], changes: taken.is === 'later' ? [] : changes };
  });
  shell.log('info', 'action.taken', { node: node.id, number, is: taken.is, because: taken.because });
  if (taken.is !== 'taken' || !order) return { status: 200, body: { is: taken.is, why: taken.because } };
  const systems = order.nodes.find((one) => one.node === node.id)?.systems ?? 0;
  return { status: 200, body: { is: 'taken', what: order.what, calls: order.calls, systems, until: order.until } };
}

/** How many calls of an order one answer has the client systems of: 2,000 at the most. */
const callsAtOnce = 10;

/** The client systems of a node in an action that it has taken, by the calls that added them. */
export async function systemsOfAction(
  { params, query, caller }: Call<Routes['systemsOfAction'], NodeCaller>,
  shell: Shell,
): Promise<Answer> {
  const node = nodeOf(caller);
  const { number } = params;
  const order = await read(shell, systemActionRef(number));
  const calls = order?.nodes.some((one) => one.node === node.id) ? order.calls : 0;
  const some = Array.from({ length: Math.max(0, Math.min(callsAtOnce, calls - query.from)) }, (_, n) => query.from + n);
  const rows = await readRows(
    shell,
    some.map((call) => addedSystemsRef(number, call)),
  );
  const added = rows.flatMap((row) => stateOf(row, shell.now())?.systems ?? []);
  const next = query.from + some.length;
  const systems = added.filter((one) => one.node === node.id).map(({ fp }) => fp);
  return { status: 200, body: { systems, ...(next < calls && { next }) } };
}

/**
 * Takes in what an agent reports of its part. Where its server has it as one action, that is a part of the action of
 * the cluster from then on, which gateways can follow and cancel.
 */
export async function reportAction(
  { params, body, caller, request }: Call<Routes['reportAction'], NodeCaller>,
  shell: Shell,
): Promise<Answer> {
  const node = nodeOf(caller);
  const { incarnation, ...report } = body;
  refuseStranger(node, incarnation);
  const { number } = params;
  const { id, fqdn, zone } = node;
  const ref = actionOfNodeRef(number, id);
  const { decision } = await applyPlan(shell, request, async (reading) => {
    const row = await reading.row(ref);
    const before = stateOf(row, shell.now());
    if (before && endedOf(report) > before.systems)
      throw new Refusal('invalid', `the part has ${before.systems} client systems, and ${endedOf(report)} are reported`);
    const decision = decideReport(before, report, shell.now());
    const change: PlannedChange = { ref, readRev: row?.rev ?? 0, decision, besides: true };
    const there = decision.does === 'write' && before?.id === undefined ? report.id : undefined;
    const recorded = there === undefined ? [] : await partScheduled(shell, reading, number, { node: id, fqdn, zone, id: there });
    return { decision, because: [decision.because], changes: [change, ...recorded] };
  });
  shell.log('info', 'action.reported', { node: id, number, seq: report.seq, because: decision.because });
  return { status: 200, body: { because: decision.because } };
}
