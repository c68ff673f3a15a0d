import { stateReasonOf } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRow, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Admission, Pace } from '../../zones/rows/admission.ts';
import { mayAdapt, type Node } from '../node.ts';
import { bearingRef } from './bearing.ts';
import { paceOf } from './pace.ts';
import type { RateBeside } from './view.ts';

/**
 * What a node has shown that it can bear, and the reason of its rate; undefined if its agent never reported it. Nothing
 * is read in a zone whose rates are fixed.
 */
export async function bearingOf(shell: Shell, { id }: Node, admission: Admission | undefined): Promise<RateBeside['bearing']> {
  if (!admission) return undefined;
  const found = await readRow(shell, bearingRef(id));
  const row = stateOf(found, shell.now());
  return found && row && { row, because: stateReasonOf(found).because };
}

/** The rates that these nodes were found to bear, by id, in a zone whose rates adapt; nothing is read in any other. */
export async function pacesOf(shell: Shell, nodes: readonly Node[], admission: Admission | undefined): Promise<ReadonlyMap<string, Pace>> {
  const paced = nodes.filter((node) => mayAdapt(node, shell.settings.admitEveryMs));
  if (!admission || paced.length === 0) return new Map();
  const rows = await readRows(
    shell,
    paced.map(({ id }) => bearingRef(id)),
  );
  return new Map(
    paced.flatMap(({ id, generation }, n) => {
      const row = stateOf(rows[n], shell.now());
      return row?.generation === generation ? [[id, paceOf(row, admission)]] : [];
    }),
  );
}
