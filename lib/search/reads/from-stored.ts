import { Later } from '../../core/errors.ts';
import { journalRef } from '../../journal/journal.ts';
import type { Objects } from '../../ports/objects/objects.ts';
import { stateOf } from '../../runtime/content.ts';
import { inParts } from '../../runtime/in-parts.ts';
import { inTurns } from '../../runtime/in-turns.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { isPlaceOf, type Place } from '../follow.ts';
import { decoding } from '../segment/format.ts';
import { DamagedSegment } from '../segment/sections.ts';
import type { Segment } from '../segment/segment.ts';
import { decodeIndex, type StoredIndex, type StoredSegment } from '../stored/format.ts';
import { documentsVersion } from '../systems/document.ts';
import { endsOf } from './ends.ts';
import { indexName, knownStored } from './known-stored.ts';
import { indexIn, type Taken } from './taken.ts';

/** Segments read at once. */
const atOnce = 8;
/** Entries that are handled before others have their turn: some milliseconds. */
const turn = 50_000;

/**
 * The client systems by the stored index, as they were when it was stored; or the reason why it cannot be used: nothing
 * is stored or can be reached, it is damaged, or it is of another table.
 */
export async function fleetFromStored(shell: Shell): Promise<Taken | { readonly because: string }> {
  const { objects } = shell;
  if (!objects) return { because: 'nothing is stored here' };
  try {
    const found = await objects.read(indexName);
    const known = knownStored(shell);
    known.forget();
    known.last = { tag: found?.tag, signature: undefined, nextAt: shell.now() };
    if (!found) return { because: 'no index is stored' };
    const index = decodeIndex(found.bytes, documentsVersion);
    const because = await whyOther(shell, index.places);
    if (because !== undefined) return { because };
    const parts = await segmentsOf(shell, objects, index);
    known.last = { ...known.last, signature: known.signatureOf({ parts, places: index.places }) };
    const taken: Taken = { parts: new Map(), places: new Map(index.places), asOf: index.asOf };
    for (const [part, segments] of parts) for (const segment of segments) indexIn(taken.parts, part).add(segment);
    return taken;
  } catch (error) {
    if (error instanceof DamagedSegment || error instanceof Later) return { because: error.message };
    throw error;
  }
}

/**
 * Why an index is of another table than this one, which was replaced, as by a backup; undefined if it is of this one.
 */
async function whyOther(shell: Shell, places: ReadonlyMap<string, Place>): Promise<string | undefined> {
  if (places.size === 0) return 'the stored index has no place in any journal';
  const ends = await endsOf(shell, [...places.keys()]);
  const rows = await readRows(
    shell,
    [...places].map(([part, { n }]) => journalRef(part, n)),
  );
  const now = shell.now();
  const other = [...places].find(([part, place], i) => !isPlaceOf(place, ends.get(part), stateOf(rows[i], now), now));
  return other && `the stored index has read another journal of ${other[0]}`;
}

/** The segments of each part, decoded; they use the bytes that were read. */
async function segmentsOf(shell: Shell, objects: Objects, { parts }: StoredIndex): Promise<Map<string, Segment[]>> {
  const all = [...parts].flatMap(([part, some]) => some.map((stored) => ({ part, stored })));
  const decoded = await inParts(all, atOnce, async ({ part, stored }) => {
    const segment = await inTurns(shell, decoding(await bytesOf(objects, stored)), turn);
    if ('name' in stored) knownStored(shell).named(segment, stored.name);
    return { part, segment };
  });
  return new Map([...Map.groupBy(decoded, ({ part }) => part)].map(([part, some]) => [part, some.map(({ segment }) => segment)]));
}

async function bytesOf(objects: Objects, stored: StoredSegment): Promise<Uint8Array> {
  if ('bytes' in stored) return stored.bytes;
  const found = await objects.read(stored.name);
  if (!found) throw new DamagedSegment(`${stored.name} is no longer stored`);
  return found.bytes;
}
