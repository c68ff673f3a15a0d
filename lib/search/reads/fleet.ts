import type { EpochMs } from '../../core/time.ts';
import { journalParts, journalRows } from '../../journal/reads.ts';
import { cached, type Shell } from '../../runtime/shell.ts';
import { beginning, isTooOld, nextAt, type Place } from '../follow.ts';
import type { SearchIndex } from '../segment/search-index.ts';
import { endsOf } from './ends.ts';
import { fleetFromRows } from './from-rows.ts';
import { fleetFromStored } from './from-stored.ts';
import { type Taken, take } from './taken.ts';

/** The client systems of every zone as they are searched, and up to which row of each journal they are known. */
export type Fleet = {
  /** The index of each zone, and of no zone, by name. */
  readonly parts: ReadonlyMap<string, SearchIndex>;
  /** How far the journal of each zone, and of no zone, was read: what its rows up to there name is in the index. */
  readonly places: ReadonlyMap<string, Place>;
  /** When the journals were last read: what was published before is in the index. */
  readonly asOf: EpochMs;
};

type Keeper = { kept: Taken | undefined; running: Promise<Taken> | undefined };

/** Rows of a journal read at once. */
const journalLimit = 100;
/** Entries that a merge of segments handles for one search: some milliseconds. */
const mergeBudget = 50_000;

/**
 * The client systems of all zones, fresh from the journals. The first call of an environment takes the stored index, or
 * reads every row where there is none; later ones read the rows of client systems that have changed since. Concurrent
 * callers share a reading.
 */
export async function fleetOf(shell: Shell): Promise<Fleet> {
  const kept = await shared(shell, (known) => refreshed(shell, known));
  // One part at a time: the rest has its turn with the next search.
  for (const index of kept.parts.values()) if (index.step(mergeBudget)) break;
  return kept;
}

/** The client systems of all zones, read anew from every row, in place of those that this environment has. */
export async function fleetAnew(shell: Shell): Promise<Fleet> {
  await keeperOf(shell).running;
  return shared(shell, () => readAnew(shell, shell.now(), 'it remembered more of what is gone than of what is there'));
}

/** Whether this environment has an index of client systems, because somebody has searched in it. */
export const hasFleet = (shell: Pick<Shell, 'caches'>): boolean => keeperOf(shell).kept !== undefined;

const keeperOf = (shell: Pick<Shell, 'caches'>): Keeper => cached<Keeper>(shell, 'fleet', () => ({ kept: undefined, running: undefined }));

function shared(shell: Shell, read: (known: Taken | undefined) => Promise<Taken>): Promise<Taken> {
  const keeper = keeperOf(shell);
  keeper.running ??= read(keeper.kept)
    .then((kept) => {
      keeper.kept = kept;
      return kept;
    })
    .finally(() => {
      keeper.running = undefined;
    });
  return keeper.running;
}

/** What is known, up to the present ends of all journals; read anew when a journal no longer has what came since. */
async function refreshed(shell: Shell, kept: Taken | undefined): Promise<Taken> {
  const asOf = shell.now();
  const known = kept ?? (await begun(shell, asOf));
  if (isTooOld(known.asOf, asOf))
    return readAnew(shell, asOf, 'it was last brought up to date weeks ago, and journals may have begun anew since');
  const hole = await followed(shell, known);
  if (hole !== undefined) return readAnew(shell, asOf, `the journal of ${hole} no longer has what came since`);
  known.asOf = asOf;
  return known;
}

async function readAnew(shell: Shell, asOf: EpochMs, because: string): Promise<Taken> {
  const known = await fromRows(shell, asOf, because);
  await followed(shell, known);
  return known;
}

/** Reads all journals up to their ends. Gives a part that no longer has what came next, and undefined if all have. */
async function followed(shell: Shell, known: Taken): Promise<string | undefined> {
  for (const part of await journalParts(shell)) if (!known.places.has(part)) known.places.set(part, beginning);
  const ends = await endsOf(shell, [...known.places.keys()], 'lately');
  for (const [part, place] of [...known.places]) {
    const end = ends.get(part);
    const next = nextAt(place, end);
    if (next.is === 'forget') known.places.delete(part);
    if (next.is !== 'read' || !end) continue;
    known.places.set(part, next.from);
    if (!(await caughtUp(shell, known, part, end.n))) return part;
  }
  return undefined;
}

/** Reads a journal up to a row. False if it no longer has what came next. */
async function caughtUp(shell: Shell, { parts, places }: Taken, part: string, upTo: number): Promise<boolean> {
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

/** The client systems with which an environment begins. */
async function begun(shell: Shell, asOf: EpochMs): Promise<Taken> {
  const stored = await fleetFromStored(shell);
  if ('because' in stored) return fromRows(shell, asOf, stored.because);
  note(shell, stored, { from: 'stored segments', ms: shell.now() - asOf });
  return stored;
}

async function fromRows(shell: Shell, asOf: EpochMs, because: string): Promise<Taken> {
  const taken = await fleetFromRows(shell, asOf);
  note(shell, taken, { from: 'rows', because, ms: shell.now() - asOf });
  return taken;
}

function note(shell: Shell, { parts }: Taken, fields: { readonly from: string; readonly because?: string; readonly ms: number }): void {
  const systems = [...parts.values()].reduce((sum, { size }) => sum + size, 0);
  shell.log('info', 'search.indexed', { ...fields, systems });
}
