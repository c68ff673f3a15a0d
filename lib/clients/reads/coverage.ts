import type { NodeId } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { type DigestRow, digestRef, digestShows, receivedAfter } from '../../nodes/digests/digest.ts';
import { readRow, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Assignment } from '../client.ts';
import {
  entriesPerPage,
  pageFor,
  pageIn,
  placeOnPage,
  type SystemsHead,
  type SystemsPage,
  systemsPageRef,
  systemsRef,
} from '../systems/rows/list.ts';

/**
 * Whether the node of a client has seen it since the assignment: the bit at its place in a list version that a newer
 * digest of the node refers to. Three reads.
 */
export async function nodeSees(shell: Shell, fp: string, told: Assignment): Promise<boolean> {
  const [digestRow, systemsRow] = await readRows(shell, [digestRef(told.node), systemsRef(told.node)]);
  const digest = digestRow && receivedAfter(digestRow.body, told.at);
  for (const { version, page } of placesToLook(digest, systemsRow?.body, fp)) {
    const row = await readRow(shell, systemsPageRef(told.node, version, page));
    if (row && showsOn(digest, { version, page }, row.body, fp)) return true;
  }
  return false;
}

/** A client system that was assigned to a node at a moment, and has not confirmed that. */
export type Unconfirmed = { readonly fp: string; readonly node: NodeId; readonly at: EpochMs };

/**
 * The client systems of these that their nodes have seen since the assignment. Reads two rows a node, and each page of
 * its list that some of them are on, once for each version of the list.
 */
export async function seenOf(shell: Shell, all: readonly Unconfirmed[]): Promise<ReadonlySet<string>> {
  const nodes = [...new Set(all.map(({ node }) => node))];
  const digests = new Map(zipped(nodes, await readRows(shell, nodes.map(digestRef))));
  const lists = new Map(zipped(nodes, await readRows(shell, nodes.map(systemsRef))));
  const looks = all.flatMap(({ fp, node, at }) => {
    const row = digests.get(node)?.body;
    const digest = row && receivedAfter(row, at);
    return placesToLook(digest, lists.get(node)?.body, fp).map((place) => ({
      fp,
      digest,
      place,
      name: `${node} ${place.version} ${place.page}`,
      node,
    }));
  });
  const pages = [...new Map(looks.map(({ name, node, place }) => [name, systemsPageRef(node, place.version, place.page)]))];
  const rows = await readRows(
    shell,
    pages.map(([, ref]) => ref),
  );
  const bodies = new Map(pages.map(([name], n) => [name, rows[n]?.body]));
  const seen = looks.filter(({ fp, digest, place, name }) => {
    const body = bodies.get(name);
    return body && showsOn(digest, place, body, fp);
  });
  return new Set(seen.map(({ fp }) => fp));
}

const zipped = <K, V>(keys: readonly K[], values: readonly V[]): [K, V | undefined][] => keys.map((key, n) => [key, values[n]]);

/** A page of a version of a list. */
type PlaceToLook = { readonly version: number; readonly page: number };

/** The pages on which a client is, of the versions of the list that digests refer to. */
function placesToLook(digest: DigestRow | undefined, systems: SystemsHead | undefined, fp: string): PlaceToLook[] {
  if (!digest || !systems) return [];
  return [systems.newest, systems.before].flatMap((version) => {
    if (!version || (digest.listVersion !== version.version && digest.before?.listVersion !== version.version)) return [];
    const page = pageFor(version.firsts, fp);
    return page === undefined ? [] : [{ version: version.version, page }];
  });
}

function showsOn(digest: DigestRow | undefined, { version, page }: PlaceToLook, body: SystemsPage, fp: string): boolean {
  const read = pageIn(version, body);
  const place = read && placeOnPage(read, fp);
  return place !== undefined && digestShows(digest, version, page * entriesPerPage + place);
}
