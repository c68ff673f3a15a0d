import { deltaSort, numbered, zonePartition } from '../../ports/table/keys.ts';
import type { Row } from '../../ports/table/table.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { pagesEveryMs, versionsPerPage } from '../map/rows/slots.ts';
import { foldedDelta, pageChanges } from '../placing/stored.ts';
import { mapRefs } from '../reads/zones.ts';
import { type Delta, deltaRef, type ZoneHead } from '../zone.ts';
import { readSnapshot } from './read-snapshot.ts';

/**
 * Writes the map's pages every 64th version, and when they are older than 6 h, outside the commit that moved the map.
 * The deltas that the pages then hold end. Gives whether the pages still lag.
 */
export async function writePages(shell: Shell, head: ZoneHead): Promise<boolean> {
  const rows = await readRows(shell, mapRefs(head));
  const oldest = Math.min(...rows.map((row) => row?.body?.version ?? 0));
  const writtenAt = Math.min(...rows.map((row) => row?.at ?? 0));
  if (head.mapVersion - oldest < versionsPerPage && shell.now() - writtenAt < pagesEveryMs) return head.mapVersion > oldest;
  if (head.mapVersion === oldest) return false;
  await applyPlan(shell, { id: `pages-${shell.newId()}` }, async (reading) => {
    const snapshot = await readSnapshot(shell, reading, head.name, [], []);
    const pageRows = await reading.rows(mapRefs(head));
    return {
      changes: snapshot
        ? pageChanges(
            snapshot,
            pageRows.map((row) => row?.rev ?? 0),
          )
        : [],
      because: ['map pages are due'],
    };
  });
  await endFolded(shell, head);
  return false;
}

/** How many deltas one commit ends: rows of up to 320 KB, of which a commit takes 4 MB. */
const endedAtOnce = 10;

/** Ends the deltas that every page holds by now, including those left by an earlier run that was killed. */
async function endFolded(shell: Shell, { name, slots }: ZoneHead): Promise<void> {
  const pages = await readRows(shell, mapRefs({ name, slots }));
  const heldUpTo = Math.min(...pages.map((row) => row?.body?.version ?? 0));
  for (let after: string | undefined; ; ) {
    const query = { pk: zonePartition(name), from: deltaSort(0), to: deltaSort(heldUpTo), limit: endedAtOnce, ...(after && { after }) };
    const page = await shell.table.query(query);
    const lasting = page.items.filter(({ expiresAt }) => expiresAt === undefined);
    if (lasting.length > 0)
      await applyPlan(shell, { id: `folded-${shell.newId()}` }, async (reading) => {
        const rows = await reading.rows(lasting.map(({ body }) => deltaRef(numbered(name, (body as Delta).version))));
        return {
          changes: rows.flatMap((row) =>
            row && row.expiresAt === undefined ? [foldedDelta(name, row as Row & { body: Delta }, shell.now())] : [],
          ),
          because: ['the map pages hold these deltas'],
        };
      });
    if (!page.next) return;
    after = page.next;
  }
}
