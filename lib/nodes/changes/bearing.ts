import type { NodeHeartbeat } from '../../../events/reported/node.ts';
import type { Plan } from '../../core/decision.ts';
import { Later } from '../../core/errors.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { read } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Admission, isSamePace } from '../../zones/rows/admission.ts';
import { zoneRef } from '../../zones/zone.ts';
import { bearingRef } from '../bearing/bearing.ts';
import { decideBearing } from '../bearing/decide.ts';
import { paceOf } from '../bearing/pace.ts';
import { decide } from '../decide.ts';
import { mayAdapt, type Node, nodeRef } from '../node.ts';

/**
 * Takes in what a node reports to bear, and moves its rate by that, if the rates of its zone adapt and no operator has
 * set its own. `node` is the row as the heartbeat left it. The zone's plan has the clients that wait go on at the new
 * rate. A transient failure is only logged: the next report tells as much about the rate.
 */
export async function takeBearing(shell: Shell, node: Node, heartbeat: NodeHeartbeat): Promise<void> {
  if (!heartbeat.data.bearing || !mayAdapt(node, shell.settings.admitEveryMs)) return;
  const admission = (await read(shell, zoneRef(node.zone)))?.admission;
  if (!admission) return;
  const id = `bearing-${shell.newId()}`;
  try {
    const { changes, because } = await applyPlan(shell, { id }, (reading) =>
      planBearing(shell, reading, { id, node, heartbeat, admission }),
    );
    if (changes.length > 1) shell.log('info', 'node.paced', { id: heartbeat.id, row: `node ${node.id}`, because: because.join('; ') });
  } catch (error) {
    if (!(error instanceof Later)) throw error;
    shell.log('warn', 'bearing.later', { row: `bearing ${node.id}`, reason: error.code, detail: error.message });
  }
}

type Reported = { readonly id: string; readonly node: Node; readonly heartbeat: NodeHeartbeat; readonly admission: Admission };

/** What the node bears, and in the same commit that its zone's plan must look at it, if its rate is another one now. */
async function planBearing(shell: Shell, reading: Reading, { id, node: { id: of }, heartbeat, admission }: Reported): Promise<Plan> {
  const [bearingRow, nodeRow] = await reading.rows([bearingRef(of), nodeRef(of)]);
  const [before, node] = [stateOf(bearingRow, shell.now()), stateOf(nodeRow, shell.now())];
  if (!node) return { changes: [], because: ['there is no such node'] };
  const judging = { generation: node.generation, usualMs: shell.settings.admitEveryMs, admission };
  const decision = decideBearing(before, heartbeat, judging);
  if (decision.does !== 'write') return { changes: [], because: [decision.because] };
  const { because } = decision;
  const own = { ref: bearingRef(of), readRev: bearingRow?.rev ?? 0, decision };
  if (isSamePace(before && paceOf(before, admission), paceOf(decision.next, admission))) return { changes: [own], because: [because] };
  const marked = decide(node, { type: 'pace', id, because }, shell.now());
  return { changes: [own, { ref: nodeRef(of), readRev: nodeRow?.rev ?? 0, decision: marked, besides: true }], because: [because] };
}
