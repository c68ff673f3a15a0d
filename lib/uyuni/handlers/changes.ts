import { noteChanges } from '../../content/seat/changes.ts';
import { refuseStranger } from '../../nodes/verify-life.ts';
import { type NodeCaller, nodeOf } from '../../nodes/verify-node.ts';
import { apply } from '../../runtime/apply.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer, Call } from '../../runtime/on-route.ts';
import { readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { changesRef } from '../changes/changes.ts';
import { type ChangesReport, decideChanges } from '../changes/decide.ts';
import type { uyuniNodeRoutes } from '../node-routes.ts';

/**
 * Takes in a report of changes before it answers: reports are in order because an agent sends the next one only then,
 * which a queue would not keep.
 */
export async function reportChanges(
  { params, body, caller, request }: Call<(typeof uyuniNodeRoutes)['reportChanges'], NodeCaller>,
  shell: Shell,
): Promise<Answer> {
  const node = nodeOf(caller);
  refuseStranger(node, body.incarnation);
  const { source, seq, changes } = body;
  const { id, fqdn, zone } = node;
  const report = { id: request.id, source, seq, changes, of: { id, fqdn, zone } };
  const ref = changesRef(params.id);
  // Before the report counts as taken: one that was taken already notes nothing again.
  if (changes.some(({ kind }) => kind !== 'system') && (await isNew(shell, ref, report)))
    await noteChanges(shell, zone, { id: request.id, node: id });
  const { decision, state } = await apply(shell, ref, report, decideChanges);
  shell.log('info', 'changes.taken', { node: id, seq, does: decision.does, because: decision.because });
  return { status: 200, body: { taken: state?.seq ?? seq } };
}

/** Whether a report has not been taken yet. */
async function isNew(shell: Shell, ref: ReturnType<typeof changesRef>, report: ChangesReport): Promise<boolean> {
  const row = stateOf(await readRow(shell, ref), shell.now());
  return decideChanges(row, report, shell.now()).does === 'write';
}
