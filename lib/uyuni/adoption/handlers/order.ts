import type { AdminCall } from '../../../access/verify-admin.ts';
import { Refusal } from '../../../api/problem.ts';
import type { Plan } from '../../../core/decision.ts';
import { desiredRef } from '../../../nodes/desired/desired.ts';
import { decideAdopt } from '../../../nodes/desired/rows/order.ts';
import type { Node } from '../../../nodes/node.ts';
import { applyPlan } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import { read } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { foundNode } from '../../../zones/reads/found.ts';
import { decideOrder } from '../decide.ts';
import { adoptionRef } from '../rows/adoption.ts';
import { adoptionView } from '../view.ts';

/** Orders the agent of a node to offer its systems for adoption, in the place of any order before. */
export async function orderAdoption({ params, body, request, caller }: AdminCall<'adoptSystems'>, shell: Shell): Promise<Answer> {
  const { node } = await foundNode(shell, params.id, caller);
  refuseUnfit(node);
  const { id, zone, generation } = node;
  const [dryRun, duplicates] = [body.dryRun || undefined, body.duplicates || undefined] as const;
  const order = { id: request.id, by: caller.who, zone, generation, dryRun, duplicates };
  const { decision } = await applyPlan(shell, order, async (reading): Promise<Plan & { decision: ReturnType<typeof decideOrder> }> => {
    const [row, desired] = await reading.rows([adoptionRef(id), desiredRef(id)]);
    const ordered = decideOrder(order, shell.now());
    const told = decideAdopt(stateOf(desired, shell.now()), order.id);
    return {
      decision: ordered,
      because: [ordered.because],
      changes: [
        { ref: adoptionRef(id), readRev: row?.rev ?? 0, decision: ordered },
        { ref: desiredRef(id), readRev: desired?.rev ?? 0, decision: told },
      ],
    };
  });
  if (decision.does !== 'write') throw new Error('an order to adopt begins anew');
  return { status: 202, body: adoptionView(id, decision.next) };
}

/** Throws a {@link Refusal} for a node that has no place of its own now, or that nothing is to be adopted with. */
function refuseUnfit({ fqdn, kind, status, index }: Node): void {
  if (kind === 'storage') throw new Refusal('refused', `${fqdn} is a node of kind storage: it has no Salt master`);
  if (status !== 'up' || index === undefined)
    throw new Refusal('refused', `${fqdn} is ${status}: its systems can be adopted while it is up`);
}

/** The adoption that was ordered last for a node. */
export async function adoption({ params, caller }: AdminCall<'adoption'>, shell: Shell): Promise<Answer> {
  const { node } = await foundNode(shell, params.id, caller);
  const known = await read(shell, adoptionRef(node.id));
  if (!known) throw new Refusal('not-found', `nobody has ordered to adopt the systems of ${node.fqdn}`);
  return { status: 200, body: adoptionView(node.id, known) };
}
