import { type JournalEnd, journalEndRef } from '../../journal/journal.ts';
import type { Reading } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';

/**
 * The ends of these parts of the journal, also of those of which no row is left; `lately`: as they were a moment ago,
 * at half the price.
 */
export async function endsOf(shell: Shell, parts: readonly string[], how?: Reading): Promise<ReadonlyMap<string, JournalEnd>> {
  const rows = await readRows(
    shell,
    parts.map((part) => journalEndRef(part)),
    how,
  );
  return new Map(
    parts.flatMap((part, i) => {
      const end = stateOf(rows[i], shell.now());
      return end ? [[part, end] as const] : [];
    }),
  );
}
