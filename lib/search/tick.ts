import { createHash } from 'node:crypto';
import { type EpochMs, minuteMs, plusMs } from '../core/time.ts';
import type { Objects } from '../ports/objects/objects.ts';
import { inTurns } from '../runtime/in-turns.ts';
import type { Shell } from '../runtime/shell.ts';
import { type Fleet, fleetAnew, fleetOf, hasFleet } from './reads/fleet.ts';
import { indexName, type KnownStored, knownStored, type StoredLast, type Whole } from './reads/known-stored.ts';
import { encoding } from './segment/format.ts';
import type { SearchIndex } from './segment/search-index.ts';
import type { Segment } from './segment/segment.ts';
import { encodeIndex, type StoredSegment } from './stored/format.ts';
import { isOvergrown } from './stored/overgrown.ts';
import { documentsVersion } from './systems/document.ts';

/** Entries that are handled before others have their turn: some milliseconds. */
const turn = 50_000;
/** Segments with fewer documents and removals are within the index: some 64 KB, which are written each time. */
const namedFrom = 1_024;
/** The bytes a second that are written at the most, over time: what is large is stored less often. */
const bytesPerSecond = 100_000;
/**
 * Segments that the index no longer names are removed after so long: all who read the index before are done by then.
 */
const unnamedForMs = 10 * minuteMs;

/**
 * Brings the index of searches up to date, merges its segments, and stores it where anything has changed, so that the
 * next environment begins with it. Segments that are stored already are not written again. The index names them, and is
 * written last: until then the one before counts. Does nothing where nobody has searched, unless the host wants an
 * index before anybody does.
 */
export async function storeIndex(shell: Shell): Promise<void> {
  const { objects } = shell;
  const known = knownStored(shell);
  if (!objects || !(shell.settings.indexesUnasked || hasFleet(shell))) return;
  if (known.last && shell.now() < known.last.nextAt) return;
  const fleet = await mergedFleet(shell);
  known.last ??= { tag: (await objects.read(indexName))?.tag, signature: undefined, nextAt: shell.now() };
  const { last } = known;
  // Without an await between them: the segments hold what the journals have up to these places.
  const parts = new Map([...fleet.parts].map(([part, index]) => [part, index.whole()]));
  const whole: Whole = { parts, places: new Map(fleet.places) };
  const signature = known.signatureOf(whole);
  if (signature === last.signature || !isWorthStoring(whole)) return;
  await store(shell, objects, { known, last, whole, asOf: fleet.asOf });
}

/** The client systems as they are now, in as few segments as there should be. */
async function mergedFleet(shell: Shell): Promise<Fleet> {
  const known = await fleetOf(shell);
  const fleet = isOvergrown([...known.parts.values()], shell.now()) ? await fleetAnew(shell) : known;
  for (const index of fleet.parts.values()) await inTurns(shell, merging(index), turn);
  return fleet;
}

function* merging(index: SearchIndex): Generator<number, void> {
  while (index.step(turn)) yield turn;
}

/** An index of nothing helps nobody, and one without any place looks as that of another table does. */
const isWorthStoring = ({ parts, places }: Whole): boolean =>
  places.size > 0 && [...parts.values()].flat().some((segment) => weightOf(segment) > 0);

const weightOf = ({ size, removals }: Segment): number => size + removals.versions.length;

type Storing = { readonly known: KnownStored; readonly last: StoredLast; readonly whole: Whole; readonly asOf: EpochMs };

async function store(shell: Shell, objects: Objects, { known, last, whole, asOf }: Storing): Promise<void> {
  let written = 0;
  const stored = async (segment: Segment): Promise<StoredSegment> => {
    const name = known.nameOf(segment);
    if (name !== undefined) return { name };
    const bytes = await inTurns(shell, encoding(segment), turn);
    if (weightOf(segment) < namedFrom) return { bytes };
    const own = await inTurns(shell, naming(bytes), turn);
    await objects.write(own, bytes);
    written += bytes.length;
    known.named(segment, own);
    return { name: own };
  };
  const parts = new Map<string, StoredSegment[]>();
  for (const [part, segments] of whole.parts) {
    const of: StoredSegment[] = [];
    for (const segment of segments) of.push(await stored(segment));
    parts.set(part, of);
  }
  const bytes = encodeIndex({ asOf, places: whole.places, parts }, documentsVersion);
  const tag = await objects.replace(indexName, bytes, last.tag);
  if (tag === undefined) {
    known.forget();
    shell.log('info', 'search.overtaken', {});
    return;
  }
  written += bytes.length;
  known.last = { tag, signature: known.signatureOf(whole), nextAt: plusMs(shell.now(), (written / bytesPerSecond) * 1_000) };
  shell.log('info', 'search.stored', { bytes: written, segments: [...parts.values()].flat().length, ms: shell.now() - asOf });
  await removeUnnamed(shell, objects, new Set([...parts.values()].flat().flatMap((one) => ('name' in one ? [one.name] : []))));
}

/** A name that other bytes do not have. */
function* naming(bytes: Uint8Array): Generator<number, string> {
  const hash = createHash('sha256');
  const atOnce = 4 * 2 ** 20;
  for (let at = 0; at < bytes.length; at += atOnce) {
    hash.update(bytes.subarray(at, at + atOnce));
    yield turn;
  }
  return `segment-${hash.digest('hex').slice(0, 40)}`;
}

async function removeUnnamed(shell: Shell, objects: Objects, named: ReadonlySet<string>): Promise<void> {
  const until = plusMs(shell.now(), -unnamedForMs);
  for (const { name, at } of await objects.list())
    if (name.startsWith('segment-') && !named.has(name) && at <= until) await objects.remove(name);
}
