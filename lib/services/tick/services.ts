import { nothing, type RowRef, type Tick } from '../../core/decision.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import { isAway } from '../../nodes/rows/away.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { restUntil } from '../../runtime/rest.ts';
import type { Shell } from '../../runtime/shell.ts';
import { applyService, planService, type ServicePlan } from '../changes/reports.ts';
import { decide } from '../decide.ts';
import type { Service } from '../service.ts';

/** Delivers time to one service. A restart and the notification of its agent are in one commit. */
export async function tickService(shell: Shell, ref: RowRef, tick: Tick): Promise<void> {
  const id = `tick-${shell.newId()}`;
  const { decision, row } = await applyService(shell, { id }, (reading) => planTick(shell, reading, ref, tick));
  const { does, because } = decision;
  shell.log(does === 'nothing' ? 'debug' : 'info', 'tick.applied', { row: `${ref.noun} ${ref.id}`, does, because });
  if (decision.does === 'nothing') await restUntil(shell, ref, { ...decision, rev: row?.rev ?? 0 });
}

async function planTick(shell: Shell, reading: Reading, ref: RowRef, tick: Tick): Promise<ServicePlan> {
  const row = await reading.row(ref);
  const service = stateOf<Service>(row, shell.now());
  if (!service) return planService(reading, { ref, row }, nothing('there is no such service'), shell.now());
  const node = stateOf<Node>(await reading.row(nodeRef(service.node)), shell.now());
  const now = shell.now();
  // A node that was given up before it was ever a member has no row any more, and nothing else would end the orders
  // there.
  const input = node ? { ...tick, isAway: isAway(node) } : ({ type: 'node-lost' } as const);
  return planService(reading, { ref, row }, decide(service, input, {}, now), now);
}
