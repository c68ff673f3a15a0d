import { clientList, clientPartitionOf, listedIn } from '../../ports/table/keys.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { entriesOf, entriesPerPage, pageIn, type SystemsHead, systemsPageRef } from '../systems/rows/list.ts';

/**
 * The entries of a version of the list of a node, 16 hex digits each, in order; undefined when it is not stored any
 * more.
 */
export async function entriesOfVersion(
  shell: Pick<Shell, 'table'>,
  node: string,
  { version, firsts }: SystemsHead['newest'],
): Promise<string[] | undefined> {
  const rows = await readRows(
    shell,
    firsts.map((_, page) => systemsPageRef(node, version, page)),
  );
  const pages = rows.flatMap((row) => pageIn(version, row?.body) ?? []);
  return pages.length === firsts.length ? pages.flatMap(entriesOf) : undefined;
}

/**
 * The entries at some places of a version, in the order of the places; undefined where the list has none, or the
 * version is not stored any more.
 */
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
  const bodies = rows.map((row) => pageIn(version, row?.body));
  const entries = new Map(pages.map((page, n) => [page, bodies[n] && entriesOf(bodies[n])]));
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
