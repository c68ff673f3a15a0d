import { stateReasonOf } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Node } from '../node.ts';
import { bearingRef } from './bearing.ts';
import type { RateBeside } from './view.ts';

/**
 * What a node has shown that it can bear, and the reason of its rate; undefined if its agent never reported it, which
 * its own row says.
 */
export async function bearingOf(shell: Shell, { id, pace }: Pick<Node, 'id' | 'pace'>): Promise<RateBeside['bearing']> {
  if (!pace) return undefined;
  const found = await readRow(shell, bearingRef(id));
  const row = stateOf(found, shell.now());
  return found && row && { row, because: stateReasonOf(found).because };
}
