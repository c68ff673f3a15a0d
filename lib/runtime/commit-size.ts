import type { PlannedChange } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { attributesOf } from '../ports/table/attributes.ts';
import { changesMax, commitBytesMax, rowBytesMax } from '../ports/table/limits.ts';
import { itemSize } from '../ports/table/size.ts';
import { contentOf } from './content.ts';

/** The most rows of one commit, checks included. */
export const commitRowsMax = changesMax;

/**
 * The bytes that a row may have besides its decided content: its numbers, its actor, and the names of fields that a
 * person changed.
 */
const besidesBytes = 1024;

/**
 * How full a commit of these changes is: by its rows, and by its bytes or those of its largest row. The table refuses a
 * commit above 1.
 */
export function fillOf(changes: readonly PlannedChange[], rowsMax = changesMax): { readonly rows: number; readonly bytes: number } {
  const bytes = changes.map(bytesOf);
  const total = bytes.reduce((sum, one) => sum + one, 0);
  const largest = bytes.reduce((most, one) => Math.max(most, one), 0);
  return { rows: changes.length / rowsMax, bytes: Math.max(total / commitBytesMax, largest / rowBytesMax) };
}

/** Whether a table takes these changes in one commit. */
export function fitsCommit(changes: readonly PlannedChange[]): boolean {
  const { rows, bytes } = fillOf(changes);
  return rows <= 1 && bytes <= 1;
}

/** The bytes of the row that a change stores, at the most; 0 for a row that is only checked. */
function bytesOf({ ref, decision }: PlannedChange): number {
  if (decision.does === 'nothing') return 0;
  const content = contentOf(ref, undefined, decision, { by: '', at: 0 as EpochMs, exact: true });
  return content ? itemSize(attributesOf(content, 1)) + besidesBytes : 0;
}
