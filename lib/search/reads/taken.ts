import { type Client, type ClientAlias, clientRef } from '../../clients/client.ts';
import { documentsOf } from '../../clients/metadata/reads.ts';
import type { EpochMs } from '../../core/time.ts';
import { ofNoZone } from '../../journal/journal.ts';
import type { Row } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Place } from '../follow.ts';
import { buildSegment } from '../segment/build.ts';
import { SearchIndex } from '../segment/search-index.ts';
import { documentOf } from '../systems/document.ts';

/** The part of the index of client systems that ask for no zone, or asked for none before they were banned. */
export const partOfNoZone = ofNoZone;

/**
 * The client systems of an environment as they are taken in: the index of each part, and how far journals were read.
 */
export type Taken = { readonly parts: Map<string, SearchIndex>; readonly places: Map<string, Place>; asOf: EpochMs };

/** Takes the rows of some client systems as they are now: each is in the part of its zone, and in no other. */
export async function take(shell: Shell, parts: Taken['parts'], fps: readonly string[]): Promise<void> {
  const rows = await readRows(
    shell,
    fps.map((fp) => clientRef(fp)),
  );
  const documents = await documentsOf(shell, systemsIn(shell, rows));
  for (const [n, row] of rows.entries()) {
    const fp = fps[n];
    if (!row || fp === undefined) continue;
    const body = stateOf(row, shell.now());
    const own = isSystem(body) ? partOf(body) : undefined;
    if (isSystem(body)) indexIn(parts, partOf(body)).put(documentOf(body, row, documents.get(fp)));
    for (const [part, index] of parts) if (part !== own && index.holds(fp)) index.remove(fp, row.rev);
  }
}

/** Takes the rows of some client systems that are in no part yet: a segment for each zone among them. */
export async function takeFirst(shell: Shell, parts: Taken['parts'], fps: readonly string[]): Promise<void> {
  const rows = await readRows(
    shell,
    fps.map((fp) => clientRef(fp)),
    'lately',
  );
  const documents = await documentsOf(shell, systemsIn(shell, rows), 'lately');
  const found = rows.flatMap((row) => {
    const body = stateOf(row, shell.now());
    return row && isSystem(body) ? [{ part: partOf(body), document: documentOf(body, row, documents.get(body.fp)) }] : [];
  });
  for (const [part, some] of Map.groupBy(found, (one) => one.part))
    indexIn(parts, part).add(buildSegment(some.map(({ document }) => document)));
}

const systemsIn = (shell: Shell, rows: readonly (Row<Client | ClientAlias> | undefined)[]): Client[] =>
  rows.flatMap((row) => {
    const body = stateOf(row, shell.now());
    return isSystem(body) ? [body] : [];
  });

/** Whether a state is that of a client system: the row under its other fingerprint is none of its own. */
const isSystem = (state: Client | ClientAlias | undefined): state is Client => state !== undefined && state.standing !== 'alias';
const partOf = ({ zone }: Client): string => zone ?? partOfNoZone;

/** The index of a part, made where there is none. */
export function indexIn(parts: Taken['parts'], part: string): SearchIndex {
  const index = parts.get(part) ?? new SearchIndex();
  parts.set(part, index);
  return index;
}
