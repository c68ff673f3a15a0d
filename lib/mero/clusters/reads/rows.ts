import { clusterPartition } from '../../../ports/table/keys.ts';
import type { Row } from '../../../ports/table/table.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { Shell } from '../../../runtime/shell.ts';

/** The sort keys of some rows of a storage cluster, from one to another, both inclusive. */
export type ClusterRange = { readonly from: string; readonly to: string };

/** The rows of a range of a storage cluster, one page of 1 MB in memory at a time, without those that are gone. */
export async function* rowsIn(shell: Pick<Shell, 'table' | 'now'>, zone: string, range: ClusterRange): AsyncGenerator<Row> {
  for (let after: string | undefined; ; ) {
    const page = await shell.table.query({ pk: clusterPartition(zone), ...range, limit: 1_000, ...(after !== undefined && { after }) });
    for (const row of page.items) if (stateOf(row, shell.now())) yield row;
    if (page.next === undefined) return;
    after = page.next;
  }
}
