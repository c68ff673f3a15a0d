import { noneOf } from '../../lib/search/segment/bitmap.ts';
import { buildSegment, SegmentBuilder } from '../../lib/search/segment/build.ts';
import { decode, encode } from '../../lib/search/segment/format.ts';
import { mergeSegments } from '../../lib/search/segment/merge.ts';
import { byId, type Order } from '../../lib/search/segment/page.ts';
import { type Answer, type Request, search } from '../../lib/search/segment/search.ts';
import { SearchIndex } from '../../lib/search/segment/search-index.ts';
import type { Document, Segment } from '../../lib/search/segment/segment.ts';
import type { Bound, Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, nsPerCall, spread } from './rounds.ts';
import { type Asked, asked, type Work } from './search/queries.ts';
import { type Found, SqliteSystems } from './search/sqlite.ts';
import { starting } from './search/starting.ts';
import { systems } from './search/systems.ts';

const million = 1_000_000;
/** `node tools/bench/search.ts --systems=10000000` measures as many; SQLite has at most a million of them. */
const count = Number(process.argv.find((word) => word.startsWith('--systems='))?.split('=')[1] ?? million);
const rounds = 5;
/** Documents of a segment: a shard of the design. */
const shard = million;

/** Targets of processor time, in ms, of anything at a million systems, and of some at ten. */
const targetAtMillion = { atMost: 30 };
const targetsAtTen: Readonly<Partial<Record<Work, Bound>>> = { boolean: { atMost: 12 }, infix: { atMost: 210 } };
const buildTarget = { atMost: 2.5 };
const memoryTarget = { atMost: 60 };
const stepTarget = { atMost: 20 };
/** How many times as fast as SQLite an answer should be. */
const ratioTarget = { atLeast: 5 };
const idMb = 32;

/** Milliseconds of processor time of some work, and what it gave. */
function timed<T>(work: () => T): [ms: number, result: T] {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1_000, result];
}

function segmentOf(documents: Iterable<Document>): Segment {
  const builder = new SegmentBuilder();
  for (const document of documents) builder.add(document);
  return builder.build();
}

function lengthOf(all: Iterable<unknown>): number {
  let length = 0;
  for (const _ of all) length += 1;
  return length;
}

/**
 * The index of all systems, and the processor time that its building took a million, beyond that of making the systems.
 */
function built(): [secondsEach: number, index: SearchIndex] {
  const index = new SearchIndex();
  const first = Math.min(count, shard);
  segmentOf(systems(20_000));
  const [making] = timed(() => lengthOf(systems(first)));
  const [building] = timed(() => index.add(segmentOf(systems(first))));
  for (let n = first; n < count; n += shard) index.add(segmentOf(systems(shard, n)));
  return [((building - making) / 1_000 / first) * million, index];
}

const order: Order = { by: byId, down: false };
const answerOf = (index: SearchIndex, request: Pick<Request, 'query'> & Partial<Request>): Answer =>
  search(index.snapshot(), { order, limit: 50, ...request });

/** Milliseconds of processor time a call, in each of some rounds: short calls are repeated. */
function msPerCall(work: () => number, once: number): number[] {
  return nsPerCall(work, { calls: Math.max(1, Math.min(200, Math.floor(20 / Math.max(0.01, once)))), rounds: 1 }).map((ns) => ns / 1e6);
}

/** Processor times of a query on both, in ms, round by round. */
type Both = { readonly our: readonly number[]; readonly their: readonly number[] };

/** A query on both, in turns; the answers must agree. Times of both are added to `all`. */
function measured(index: SearchIndex, sqlite: SqliteSystems | undefined, { what, work, query, sql }: Asked, all: Both[]): Figure[] {
  const ours = (): number => answerOf(index, { query }).total;
  const theirs = sql && sqlite?.find(...sql);
  const [ourOnce] = timed(ours);
  const [theirOnce] = timed(() => theirs?.());
  if (theirs) agree(what, answerOf(index, { query }), theirs());
  const [our, their]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    our.push(...msPerCall(ours, ourOnce));
    if (theirs) their.push(...msPerCall(() => theirs().total, theirOnce));
  }
  if (theirs) all.push({ our, their });
  const target = count > 2 * million ? targetsAtTen[work] : targetAtMillion;
  const note = `${ours().toLocaleString('en-US')} found; processor time, ${spread(our, (one) => one.toFixed(2))}`;
  return [{ what, measured: median(our), unit: 'ms', ...(target && { target }), note }, ...(theirs ? ratio(what, our, their) : [])];
}

const ratio = (what: string, our: readonly number[], their: readonly number[]): Figure[] => {
  const times = their.map((ms, round) => ms / our[round]!);
  return [
    {
      what: `peer: SQLite, ${what}`,
      measured: median(their),
      unit: 'ms',
      note: `processor time, ${spread(their, (one) => one.toFixed(2))}`,
    },
    {
      what: `${what} beside SQLite`,
      measured: median(times),
      unit: '×',
      note: spread(times, (one) => one.toFixed(1)),
    },
  ];
};

/**
 * All queries that both answered, one after the other: for some SQLite's trigrams are better, for most nothing is near.
 */
function altogether(all: readonly Both[]): Figure[] {
  const sum = (of: (both: Both) => readonly number[], round: number): number => all.reduce((ms, both) => ms + of(both)[round]!, 0);
  const times = Array.from({ length: rounds }, (_, round) => sum(({ their }) => their, round) / sum(({ our }) => our, round));
  const note = `${all.length} queries; ${spread(times, (one) => one.toFixed(1))}`;
  return all.length === 0 ? [] : [{ what: 'all of these beside SQLite', measured: median(times), unit: '×', target: ratioTarget, note }];
}

function agree(what: string, { total, rows }: Answer, found: Found): void {
  const ours = rows.map(({ position, name }) => `${position.id} ${name}`).join();
  if (total !== found.total || ours !== found.first.map(({ id, name }) => `${id} ${name}`).join())
    throw new Error(`${what} finds ${total} systems, and ${found.total} in SQLite, or others`);
}

/** What a host spends while systems change: a merge, its longest step, a change, and an answer behind it. */
function changing(index: SearchIndex): Figure[] {
  const parts = [1, 2, 3, 4].map((seed) => segmentOf(systems(million / 4, seed)));
  const steps = mergeSegments(parts.map((segment) => ({ segment, deleted: noneOf(segment.size) })));
  const took: number[] = [];
  for (let isDone = false; !isDone; ) {
    // Of this thread alone: the collector's others do not stop it.
    const before = process.threadCpuUsage();
    const step = steps.next();
    const { user, system } = process.threadCpuUsage(before);
    took.push((user + system) / 1_000);
    isDone = step.done === true;
  }
  const changes = [...systems(20_000)].map((one, n) => ({
    ...one,
    id: one.id.replace(/^..../, (n % 65_536).toString(16).padStart(4, '0')),
  }));
  const [put] = timed(() => changes.filter((one) => index.put(one)).length);
  const { query } = asked[0]!;
  const fresh = changes
    .slice(0, 100)
    .map((one, n) => timed(() => index.put({ ...one, version: 2_000 + n }) && answerOf(index, { query }))[0]);
  return [
    {
      what: 'a merge of four segments into one of a million',
      measured: took.reduce((sum, ms) => sum + ms, 0),
      unit: 'ms',
      note: `${took.length} steps`,
    },
    {
      what: 'its longest step',
      measured: Math.max(...took),
      unit: 'ms',
      target: stepTarget,
      note: 'processor time of the thread',
    },
    { what: 'a change', measured: (put / changes.length) * 1_000, unit: 'µs', note: `into ${count.toLocaleString('en-US')} systems` },
    { what: 'an answer right behind a change', measured: median(fresh), unit: 'ms', note: spread(fresh, (one) => one.toFixed(2)) },
  ];
}

/** What else answers have, and what storing takes. */
function others(index: SearchIndex): Figure[] {
  const timedOften = (what: string, work: () => unknown, target?: Bound): Figure => {
    const ms = Array.from({ length: rounds + 1 }, () => timed(work)[0]).slice(1);
    return {
      what,
      measured: median(ms),
      unit: 'ms',
      ...(target && { target }),
      note: `processor time, ${spread(ms, (one) => one.toFixed(2))}`,
    };
  };
  const segment = index.segments[0] ?? buildSegment([]);
  const bytes = encode(segment);
  const { query } = asked[0]!;
  const facets = ['tag', 'group'].map((field) => ({ field, top: 10 }));
  const limit = count > 2 * million ? undefined : targetAtMillion;
  return [
    timedOften('tag:t5 with the facets of tags and groups', () => answerOf(index, { query, facets }), limit),
    timedOften(
      'all systems, by when they were seen',
      () => answerOf(index, { query: { op: 'all' }, order: { by: 'seen', down: true } }),
      limit,
    ),
    timedOften('all systems, by name', () => answerOf(index, { query: { op: 'all' }, order: { by: 'name', down: false } }), limit),
    timedOften('a segment written', () => encode(segment)),
    timedOften('a segment read and checked', () => decode(bytes)),
  ];
}

await program(async (folder) => {
  const [buildSeconds, index] = built();
  const sqlite = count <= million ? new SqliteSystems(systems(count)) : undefined;
  const all: Both[] = [];
  const mb = index.segments.reduce((sum, segment) => sum + encode(segment).length, 0) / 1e6 / (count / million);
  const ofAll = `${count.toLocaleString('en-US')} systems in ${index.segments.length} segments, 8 tags, a group, a name, a number each`;
  return [
    {
      what: 'the index built, a million',
      measured: buildSeconds,
      unit: 's',
      target: buildTarget,
      note: 'processor time, without the making of the systems',
    },
    { what: 'its bytes a million, beside 32 MB of fingerprints', measured: mb - idMb, unit: 'MB', target: memoryTarget, note: ofAll },
    { what: 'its bytes a million, with them', measured: mb, unit: 'MB' },
    ...(sqlite ? [{ what: 'peer: SQLite, its bytes a million', measured: (sqlite.bytes / 1e6 / count) * million, unit: 'MB' }] : []),
    ...asked.flatMap((one) => measured(index, sqlite, one, all)),
    ...altogether(all),
    ...others(index),
    ...changing(index),
    ...(await starting(folder)),
  ];
});
