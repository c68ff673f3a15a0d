import type { AdminCall } from '../../../access/verify-admin.ts';
import { Refusal } from '../../../api/problem.ts';
import type { PlannedChange } from '../../../core/decision.ts';
import { nodeRef } from '../../../nodes/node.ts';
import { forgetTable } from '../../../nodes/rows/table.ts';
import { apply } from '../../../runtime/apply.ts';
import { applyPlan } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import { inParts } from '../../../runtime/in-parts.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { processId, processRef } from '../../processes/process.ts';
import { limitsOf } from '../../processes/rows/limits.ts';
import { forget } from '../../processes/update.ts';
import { clusterRef } from '../cluster.ts';
import { type ClusterCommand, decideCluster } from '../command.ts';
import { nodesByName, readCluster } from '../reads/cluster.ts';
import { clusterOf } from '../reads/of-caller.ts';

/** How many processes one commit takes. */
const atOnce = 90;

/**
 * Makes the states of all processes of a cluster unknown and asks their hosts: within two heartbeats of each host they
 * are known again. An interrupted call begins anew. Throws a {@link Refusal} for a soft reset of a cluster that is not
 * stopped.
 */
export async function resetMero({ params, body, request, caller }: AdminCall<'resetMero'>, shell: Shell): Promise<Answer> {
  await clusterOf(shell, params.zone, caller);
  const { mode = 'soft' } = body;
  const command: ClusterCommand =
    mode === 'unstick' ? { type: 'unstick', id: request.id } : { type: 'reset', id: request.id, hard: mode === 'hard' };
  const { decision } = await apply(shell, clusterRef(params.zone), command, decideCluster);
  const { does, because } = decision;
  if (mode === 'unstick') return { status: 202, body: { done: does === 'write', because, processes: 0 } };
  if (does === 'nothing') throw new Refusal('refused', because);
  return { status: 202, body: { done: true, because, processes: await forgetAll(shell, params.zone, request.id) } };
}

/**
 * Forgets the states of all processes and returns how many. The tables of their hosts are forgotten last, so that the
 * answers of the hosts find processes in the state unknown.
 */
async function forgetAll(shell: Shell, zone: string, id: string): Promise<number> {
  const now = await readCluster(shell, zone);
  if (!now) return 0;
  const refs = now.processes.map((process) => processRef(processId(process)));
  let forgotten = 0;
  for (let from = 0; from < refs.length; from += atOnce) {
    const part = refs.slice(from, from + atOnce);
    const { changes } = await applyPlan(shell, { id: `${id}/${from}` }, async (reading) => {
      const rows = await reading.rows(part);
      const surroundings = { goal: 'stop' as const, limits: limitsOf(now.cluster) };
      const all = rows.flatMap((row, n): PlannedChange[] => {
        const decided = forget(stateOf(row, shell.now()), surroundings, shell.now());
        return decided.does === 'nothing' ? [] : [{ ref: part[n]!, readRev: row!.rev, decision: decided }];
      });
      return { changes: all, because: [] };
    });
    forgotten += changes.length;
  }
  const nodes = await nodesByName(shell, zone);
  const asked = [...now.meroNodes.keys()].flatMap((fqdn) => nodes.get(fqdn)?.id ?? []);
  await inParts(asked, 20, async (node) => {
    await apply(shell, nodeRef(node), { id: `${id}/${node}` }, forgetTable);
  });
  return forgotten;
}
