import { clientList, clientPartitionOf, listedIn } from '../../ports/table/keys.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { entriesOf, entriesPerPage, type SystemsHead, systemsPageRef } from '../systems/rows/list.ts';

/** The entries of a stored version of the list of a node, 16 hex digits each, in order. */
export async function entriesOfVersion(shell: Pick<Shell, 'table'>, node: string, version: SystemsHead['newest']): Promise<string[]> {
  const rows = await readRows(
    shell,
    version.firsts.map((_, page) => systemsPageRef(node, version.version, page)),
  );
  return rows.flatMap((row) => (row ? entriesOf(row.body) : []));
}

/** The entries at some places of a version, in the order of the places; undefined where the list has none. */
export async function entriesAt(
  shell: Pick<Shell, 'table'>,
  node: string,
  version: number,
  places: readonly number[],
): Promise<(string | undefined)[]> {
  const pageOf = (place: number): number => Math.floor(place / entriesPerPage);
  const pages = [...new Set(places.map(pageOf))];
  const rows = await readRows(
    shell,
    pages.map((page) => systemsPageRef(node, version, page)),
  );
  const entries = new Map(pages.map((page, n) => [page, rows[n] ? entriesOf(rows[n].body) : []]));
  return places.map((place) => entries.get(pageOf(place))?.[place % entriesPerPage]);
}

/**
 * The whole fingerprint of an accepted client system of a zone by the first 64 bits, from the list index, which may be
 * outdated; undefined when the index has none.
 */
export async function wholeFingerprint(shell: Pick<Shell, 'table'>, zone: string, entry: string): Promise<string | undefined> {
  const pk = clientList.zone(zone, clientPartitionOf(entry));
  const { items } = await shell.table.queryIndex({ index: 'list', pk, from: entry, to: `${entry}g`, limit: 1 });
  return items[0] && listedIn(items[0].sk).fp;
}
