import { nothing } from '../core/decision.ts';
import { loseProcesses } from '../mero/processes/tick.ts';
import { isDriven, type Node, nodeRef } from '../nodes/node.ts';
import { apply } from '../runtime/apply.ts';
import type { Reading } from '../runtime/apply-plan.ts';
import { stateOf } from '../runtime/content.ts';
import type { Shell } from '../runtime/shell.ts';
import { applyService, planService, type ServicePlan } from '../services/changes/reports.ts';
import { decide } from '../services/decide.ts';
import { servicesOf } from '../services/reads/of-node.ts';
import { type Service, serviceRef } from '../services/service.ts';

/** Whether something ran on a node that was given up, so that its fate stays unknown. */
export const isLost = (node: Node): boolean => node.status === 'dropped' && isDriven(node) && !node.awaitsPlan;

/**
 * A node was given up: the state of everything that ran there is unknown. Its row is left alone once all of its
 * processes and services record that.
 */
export async function loseWhatRan(shell: Shell, node: Node): Promise<void> {
  if (node.kind === 'storage') await loseProcesses(shell, node);
  if (node.services) await loseServices(shell, node);
  const tick = { type: 'tick' as const, id: `lost-${shell.newId()}` };
  const because = 'all that ran there is lost with it';
  await apply(shell, nodeRef(node.id), tick, (now) => (now?.status === 'dropped' ? nothing(because) : nothing('it is back', shell.now())));
}

async function loseServices(shell: Shell, node: Node): Promise<void> {
  for (const service of await servicesOf(shell, node))
    await applyService(shell, { id: `lost-${shell.newId()}` }, (reading) => planLoss(shell, reading, service));
}

/** A service that is started on a node that is back by then is not lost. */
async function planLoss(shell: Shell, reading: Reading, service: Service): Promise<ServicePlan> {
  const ref = serviceRef(service);
  const [row, nodeRow] = await reading.rows([ref, nodeRef(service.node)]);
  const now = shell.now();
  if (stateOf(nodeRow, now)?.status !== 'dropped') return planService(reading, { ref, row }, nothing('its node is back'), now);
  const plan = await planService(reading, { ref, row }, decide(stateOf(row, now), { type: 'node-lost' }, {}, now), now);
  const check = { ref: nodeRef(service.node), readRev: nodeRow!.rev, decision: nothing('it is still dropped') };
  return plan.changes.length === 0 ? plan : { ...plan, changes: [...plan.changes, check] };
}
