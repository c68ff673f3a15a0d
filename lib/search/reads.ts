import { type Client, type ClientAlias, clientRef } from '../clients/client.ts';
import { EpochMs } from '../core/time.ts';
import { endForMs, type JournalEnd, ofNoZone } from '../journal/journal.ts';
import { journalEnds, journalParts, journalRows } from '../journal/reads.ts';
import { clientList, clientPartitions, listedIn, zoneList } from '../ports/table/keys.ts';
import type { IndexQuery } from '../ports/table/table.ts';
import { stateOf } from '../runtime/content.ts';
import { inParts } from '../runtime/in-parts.ts';
import { readRows } from '../runtime/read.ts';
import { cached, type Shell } from '../runtime/shell.ts';
import { buildSegment } from './segment/build.ts';
import { SearchIndex } from './segment/search-index.ts';
import { documentOf } from './systems/document.ts';

/** The part of the index of client systems that ask for no zone, or asked for none before they were banned. */
export const partOfNoZone = ofNoZone;

/** The client systems of every zone as they are searched, and up to which row of each journal they are known. */
export type Fleet = {
  /** The index of each zone, and of no zone, by name. */
  readonly parts: ReadonlyMap<string, SearchIndex>;
  /** When the journals were last read: what was published before is in the index. */
  readonly asOf: EpochMs;
};

type Kept = { readonly parts: Map<string, SearchIndex>; readonly places: Map<string, JournalEnd>; asOf: EpochMs };
type Keeper = { kept: Kept | undefined; running: Promise<Kept> | undefined };

/** The place before the first row of a journal. */
const beginning: JournalEnd = { n: 0, at: EpochMs.parse(0) };
/** Entries of a list read at once, and partitions of a zone. */
const pageLimit = 1_000;
const atOnce = 8;
/** Rows of a journal read at once. */
const journalLimit = 100;
/** Entries that a merge of segments handles for one search: some milliseconds. */
const mergeBudget = 50_000;

/**
 * The client systems of all zones, fresh from the journals. The first call of an environment reads every row; later
 * ones read the rows of client systems that have changed since. Concurrent callers share a reading.
 */
export async function fleetOf(shell: Shell): Promise<Fleet> {
  const keeper = cached<Keeper>(shell, 'fleet', () => ({ kept: undefined, running: undefined }));
  keeper.running ??= refreshed(shell, keeper.kept)
    .then((kept) => {
      keeper.kept = kept;
      return kept;
    })
    .finally(() => {
      keeper.running = undefined;
    });
  const kept = await keeper.running;
  // One part at a time: the rest has its turn with the next search.
  for (const index of kept.parts.values()) if (index.step(mergeBudget)) break;
  return kept;
}

/** What is known, up to the present ends of all journals; read anew when a journal no longer has what came since. */
async function refreshed(shell: Shell, kept: Kept | undefined): Promise<Kept> {
  const asOf = shell.now();
  const known = kept ?? (await loaded(shell, asOf));
  for (const part of await journalParts(shell)) if (!known.places.has(part)) known.places.set(part, beginning);
  const { ends } = await journalEnds(shell, [...known.places.keys()]);
  for (const [part, end] of ends) {
    const place = known.places.get(part) ?? beginning;
    // The end is read as it was a moment ago. After weeks without a row a journal counts from 1 again, and may have
    // come as far as before since.
    const isAnew = end.at > place.at && (end.n < place.n || end.at - place.at >= endForMs);
    if (isAnew) known.places.set(part, beginning);
    if ((isAnew || end.n > place.n) && !(await caughtUp(shell, known, part, end.n))) return loaded(shell, asOf);
  }
  known.asOf = asOf;
  return known;
}

/** Reads a journal up to a row. False if it no longer has what came next. */
async function caughtUp(shell: Shell, { parts, places }: Kept, part: string, upTo: number): Promise<boolean> {
  for (let place = places.get(part)?.n ?? 0; place < upTo; ) {
    const page = await journalRows(shell, part, place, journalLimit);
    const last = page?.rows.at(-1);
    if (!page || !last) return false;
    await take(shell, parts, [...new Set(page.rows.flatMap(({ systems }) => systems))]);
    place = last.n;
    places.set(part, { n: last.n, at: last.at });
  }
  return true;
}

/** Takes the rows of some client systems as they are now: each is in the part of its zone, and in no other. */
async function take(shell: Shell, parts: Map<string, SearchIndex>, fps: readonly string[]): Promise<void> {
  const rows = await readRows(
    shell,
    fps.map((fp) => clientRef(fp)),
  );
  for (const [n, row] of rows.entries()) {
    const fp = fps[n];
    if (!row || fp === undefined) continue;
    const body = stateOf(row, shell.now());
    const own = isSystem(body) ? partOf(body) : undefined;
    if (isSystem(body)) indexIn(parts, partOf(body)).put(documentOf(body, row));
    for (const [part, index] of parts) if (part !== own && index.holds(fp)) index.remove(fp, row.rev);
  }
}

/** Whether a state is that of a client system: the row under its other fingerprint is none of its own. */
const isSystem = (state: Client | ClientAlias | undefined): state is Client => state !== undefined && state.standing !== 'alias';
const partOf = ({ zone }: Client): string => zone ?? partOfNoZone;

function indexIn(parts: Map<string, SearchIndex>, part: string): SearchIndex {
  const index = parts.get(part) ?? new SearchIndex();
  parts.set(part, index);
  return index;
}

/** Everything, from the rows. What is committed meanwhile is read again from the journals. */
async function loaded(shell: Shell, asOf: EpochMs): Promise<Kept> {
  const { ends } = await journalEnds(shell, await journalParts(shell));
  const kept: Kept = { parts: new Map(), places: new Map(ends), asOf };
  const zones = await entriesOf(shell, { index: 'list', pk: zoneList });
  const lists = Array.from({ length: clientPartitions }, (_, partition) => [
    ...zones.map((zone) => clientList.zone(zone, partition)),
    clientList.pool(partition),
    clientList.banned(partition),
  ]).flat();
  await inParts(lists, atOnce, async (pk) => {
    const fps = (await entriesOf(shell, { index: 'list', pk })).map((sort) => listedIn(sort).fp);
    if (fps.length > 0) await loadSome(shell, kept.parts, fps);
  });
  return kept;
}

/** Takes the rows of one list: a segment for each zone in it. */
async function loadSome(shell: Shell, parts: Map<string, SearchIndex>, fps: readonly string[]): Promise<void> {
  const rows = await readRows(
    shell,
    fps.map((fp) => clientRef(fp)),
    'lately',
  );
  const found = rows.flatMap((row) => {
    const body = stateOf(row, shell.now());
    return row && isSystem(body) ? [{ part: partOf(body), document: documentOf(body, row) }] : [];
  });
  for (const [part, some] of Map.groupBy(found, (one) => one.part))
    indexIn(parts, part).add(buildSegment(some.map(({ document }) => document)));
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
