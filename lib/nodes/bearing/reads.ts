import { stateReasonOf } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { bearingRef } from './bearing.ts';
import type { RateBeside } from './view.ts';

/** What a node has shown that it can bear, and the reason of its rate; undefined if its agent never reported it. */
export async function bearingOf(shell: Shell, node: string): Promise<RateBeside['bearing']> {
  const found = await readRow(shell, bearingRef(node));
  const row = stateOf(found, shell.now());
  return found && row && { row, because: stateReasonOf(found).because };
}
