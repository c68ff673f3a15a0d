import type { AdminCall } from '../../../access/verify-admin.ts';
import { Refusal } from '../../../api/problem.ts';
import { apply } from '../../../runtime/apply.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import { readRows } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { decideCancel, decideCancelled, isCancelled } from '../decide.ts';
import { actionOfNodeRef, type SystemAction, systemActionRef } from '../rows/system-action.ts';
import { orderFor } from './show.ts';

/** How many nodes are seen to at a time. */
const nodesAtOnce = 20;

/**
 * Cancels an action where no agent has taken it yet, each node by itself: either its agent has its part, or it is
 * cancelled. What servers have is cancelled there.
 */
export async function cancelSystemAction({ params: { number }, caller }: AdminCall<'cancelSystemAction'>, shell: Shell): Promise<Answer> {
  const order = await orderFor(shell, number, caller);
  if (order.state === 'collecting')
    throw new Refusal(
      'refused',
      'its client systems are still being added: nothing is carried out before the last of them, and then it can be cancelled',
    );
  const by = shell.actor?.who ?? caller.name;
  // The caller cancels the action, and the audit has that.
  const { actor: _caller, ...own } = shell;
  const { nodes, until, expiresAt } = order;
  // What was not taken in time is left, and stays that.
  for (let at = 0; at < nodes.length && shell.now() <= until; at += nodesAtOnce)
    await Promise.all(
      nodes
        .slice(at, at + nodesAtOnce)
        .map(({ node, zone, systems }) =>
          apply(own, actionOfNodeRef(number, node), { id: shell.newId(), by, zone, systems, expiresAt }, decideCancel),
        ),
    );
  const cancelled = await cancelledIn(shell, number, order);
  if (cancelled === 0)
    throw new Refusal('refused', 'no client system waits for its agent to take it: cancel it on the servers, or through a gateway');
  await apply(shell, systemActionRef(number), { id: shell.newId(), by, systems: cancelled }, decideCancelled);
  return { status: 200, body: { cancelled, others: nodes.reduce((sum, { systems }) => sum + systems, 0) - cancelled } };
}

/** How many client systems were cancelled before an agent took them, by this call or an earlier one. */
async function cancelledIn(shell: Shell, number: Parameters<typeof systemActionRef>[0], { nodes }: SystemAction): Promise<number> {
  const rows = await readRows(
    shell,
    nodes.map(({ node }) => actionOfNodeRef(number, node)),
  );
  const parts = rows.flatMap((row) => stateOf(row, shell.now()) ?? []);
  return parts.filter(isCancelled).reduce((sum, { systems }) => sum + systems, 0);
}
