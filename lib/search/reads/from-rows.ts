import type { EpochMs } from '../../core/time.ts';
import { journalParts } from '../../journal/reads.ts';
import { clientList, clientPartitions, listedIn, zoneList } from '../../ports/table/keys.ts';
import type { IndexQuery } from '../../ports/table/table.ts';
import { inParts } from '../../runtime/in-parts.ts';
import type { Shell } from '../../runtime/shell.ts';
import { endsOf } from './ends.ts';
import { type Taken, takeFirst } from './taken.ts';

/** Entries of a list read at once, and partitions of a zone. */
const pageLimit = 1_000;
const atOnce = 8;

/**
 * All client systems, from their rows: a read for each. What is committed meanwhile is read again from the journals,
 * whose ends are noted first.
 */
export async function fleetFromRows(shell: Shell, asOf: EpochMs): Promise<Taken> {
  const places = new Map(await endsOf(shell, await journalParts(shell), 'lately'));
  const taken: Taken = { parts: new Map(), places, asOf };
  const zones = await entriesOf(shell, { index: 'list', pk: zoneList });
  const lists = Array.from({ length: clientPartitions }, (_, partition) => [
    ...zones.map((zone) => clientList.zone(zone, partition)),
    clientList.pool(partition),
    clientList.banned(partition),
  ]).flat();
  await inParts(lists, atOnce, async (pk) => {
    const fps = (await entriesOf(shell, { index: 'list', pk })).map((sort) => listedIn(sort).fp);
    if (fps.length > 0) await takeFirst(shell, taken.parts, fps);
  });
  return taken;
}

async function entriesOf(shell: Shell, where: Pick<IndexQuery, 'index' | 'pk'>): Promise<string[]> {
  const sorts: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await shell.table.queryIndex({ ...where, limit: pageLimit, ...(after !== undefined && { after }) });
    for (const { sk } of page.items) sorts.push(sk);
    if (page.next === undefined) return sorts;
    after = page.next;
  }
}
