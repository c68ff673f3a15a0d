import type { NodeHeartbeat } from '../../../events/reported/node.ts';
import { apply } from '../../runtime/apply.ts';
import { read } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { isSamePace } from '../../zones/rows/admission.ts';
import { zoneRef } from '../../zones/zone.ts';
import { bearingRef } from '../bearing/bearing.ts';
import { decideBearing } from '../bearing/decide.ts';
import { paceOf } from '../bearing/pace.ts';
import type { NodeCommand } from '../command.ts';
import { decide } from '../decide.ts';
import { mayAdapt, type Node, nodeRef } from '../node.ts';

/**
 * Takes in what a node reports to bear, and moves its rate by that, if the rates of its zone adapt and no operator has
 * set its own. `node` is the row as the heartbeat left it. The zone's plan has the clients that wait go on at the new
 * rate.
 */
export async function takeBearing(shell: Shell, node: Node, heartbeat: NodeHeartbeat): Promise<void> {
  if (!heartbeat.data.bearing || !mayAdapt(node, shell.settings.admitEveryMs)) return;
  const admission = (await read(shell, zoneRef(node.zone)))?.admission;
  if (!admission) return;
  const judging = { generation: node.generation, usualMs: shell.settings.admitEveryMs, admission };
  const { state: row, decision } = await apply(shell, bearingRef(node.id), heartbeat, (before, report) =>
    decideBearing(before, report, judging),
  );
  const pace = row && paceOf(row, admission);
  if (!pace || isSamePace(node.pace, pace)) return;
  const command: NodeCommand = { type: 'pace', id: `pace-${shell.newId()}`, pace, because: decision.because };
  const paced = await apply(shell, nodeRef(node.id), command, decide);
  shell.log('info', 'node.paced', { id: heartbeat.id, row: `node ${node.id}`, does: paced.decision.does, because: paced.decision.because });
}
