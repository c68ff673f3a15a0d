import { placedStatus } from '../../clients/rows/status.ts';
import { EpochMs } from '../../core/time.ts';
import { nobody } from '../../zones/map/rows/slots.ts';
import { type LoadedZone, servesAt } from '../../zones/rows/loaded.ts';
import { fieldNamed } from '../language/fields.ts';
import { globMatcher } from '../language/glob.ts';
import type { Test } from '../language/query.ts';
import { readRegex } from '../language/regex.ts';
import { not, or } from '../segment/algebra.ts';
import { type Bitmap, each, noneOf, unsortedOf } from '../segment/bitmap.ts';
import type { Beside } from '../segment/evaluate.ts';
import { idAt } from '../segment/ids.ts';
import { numberAt, withNumber } from '../segment/numbers.ts';
import type { Segment } from '../segment/segment.ts';
import { placing, standings } from './document.ts';

/** A zone as its client systems are searched by it: its map, and which of them their nodes have seen. */
export type Surroundings = {
  readonly zone: LoadedZone | undefined;
  readonly now: EpochMs;
  /** The fingerprints of client systems that digests confirm, although their rows do not say so yet. */
  readonly seen: ReadonlySet<string>;
};

/**
 * What the map of a zone says of the client systems of a segment: their status, the nodes that they live on and are
 * pinned to. Without a zone there are only machines that wait, or are banned. Each is computed when a query first needs
 * it.
 */
export function besideOf(segment: Segment, around: Surroundings): Beside {
  const known = new Map<string, ReadonlyMap<string, Bitmap>>();
  const values = (field: string): ReadonlyMap<string, Bitmap> | undefined => {
    const make = byField[field];
    if (make && !known.has(field)) known.set(field, make(segment, around));
    return known.get(field);
  };
  return {
    values,
    volatile: (field, test) => {
      const whether = field === 'silent' || field === 'copied' || field === 'pinned' ? yesOrNo(segment, field, test) : undefined;
      const given = whether === undefined ? values(field) : undefined;
      return given ? matching(segment, given, namesIn(around.zone, field), test) : whether;
    },
    folds: (field) => fieldNamed(field)?.field.folds ?? false,
  };
}

const byField: Readonly<Record<string, (segment: Segment, around: Surroundings) => ReadonlyMap<string, Bitmap>>> = {
  status: statuses,
  node: (segment, { zone }) => byMember(segment, placing.index, zone),
  pinned: (segment, { zone }) => byMember(segment, placing.pin, zone),
};

type NamesOf = (value: string) => readonly string[];

/** What a value can be called: a node also by its id and by the first label of its name. */
function namesIn(zone: LoadedZone | undefined, field: string): NamesOf {
  if (field === 'status') return (value) => [value];
  const ids = Map.groupBy(zone?.members ?? [], (member): string | undefined => member?.fqdn);
  return (value) => [value, value.replace(/\..*/, ''), ...(ids.get(value) ?? []).flatMap((member) => member?.node ?? [])];
}

/** The client systems with a value that a test holds for, by any of its names. */
function matching(segment: Segment, values: ReadonlyMap<string, Bitmap>, namesOf: NamesOf, test: Test): Bitmap {
  const holds = testOf(test);
  return or(
    segment.size,
    [...values].flatMap(([value, hits]) => (namesOf(value).some(holds) ? [hits] : [])),
  );
}

function testOf(test: Test): (value: string) => boolean {
  if (test.is === 'present') return () => true;
  if (test.is !== 'glob' && test.is !== 'regex') return () => false;
  const matchers = test.any.map((one) => (test.is === 'glob' ? globMatcher(one, { folds: true }) : regexMatcher(one)));
  return (value) => matchers.some((matches) => matches(value));
}

function regexMatcher(pattern: string): (value: string) => boolean {
  const regex = readRegex(pattern, { folds: true });
  return 'test' in regex ? (value) => regex.test(value) : () => false;
}

/** `silent:yes`, `pinned:no`: whether there is a value at all; undefined for any other test. */
function yesOrNo(segment: Segment, field: 'silent' | 'copied' | 'pinned', test: Test): Bitmap | undefined {
  if (test.is !== 'glob' || !test.any.every((word) => word === 'yes' || word === 'no')) return undefined;
  const column = segment.numbers.get(field === 'pinned' ? placing.pin : field);
  const yes = column ? withNumber(column) : noneOf(segment.size);
  return or(
    segment.size,
    test.any.map((word) => (word === 'yes' ? yes : not(yes))),
  );
}

/** The client systems by the name of the member that a column names by its index. */
function byMember(segment: Segment, column: string, zone: LoadedZone | undefined): ReadonlyMap<string, Bitmap> {
  const numbers = segment.numbers.get(column);
  const at = grouped(segment.size, (ordinal) => numbers && numberAt(numbers, ordinal));
  const named = [...at].flatMap(([index, ordinals]) => {
    const member = zone?.members[index];
    const hits = unsortedOf(segment.size, Uint32Array.from(ordinals));
    return member ? [[member.fqdn, hits] as const] : [];
  });
  const all = new Map<string, Bitmap>();
  for (const [name, hits] of named) all.set(name, or(segment.size, [all.get(name) ?? noneOf(segment.size), hits]));
  return all;
}

/** The client systems by their status, as their own calls and every view have it. */
function statuses(segment: Segment, { zone, now, seen }: Surroundings): ReadonlyMap<string, Bitmap> {
  const number = (column: string, ordinal: number): number | undefined => {
    const numbers = segment.numbers.get(column);
    return numbers && numberAt(numbers, ordinal);
  };
  const statusOf = (ordinal: number): string => {
    const standing = standings[number(placing.standing, ordinal) ?? 0];
    if (standing !== 'accepted') return standing === 'banned' ? 'deleted' : 'new';
    if (!zone) return 'orphan';
    const fp = idAt(segment.ids, ordinal);
    const index = number(placing.index, ordinal);
    const confirmed = number(placing.confirmed, ordinal) === 1 || seen.has(fp);
    const told = index === undefined ? undefined : { index, generation: number(placing.generation, ordinal) ?? 0, confirmed };
    const pin = number(placing.pin, ordinal);
    const placed = { fp, pin: pin ?? nobody, soft: number(placing.soft, ordinal) === 1, told };
    return placedStatus(zone, placed, { now, lost: false });
  };
  const found = grouped(segment.size, statusOf);
  return new Map([...found].map(([status, ordinals]) => [status, unsortedOf(segment.size, Uint32Array.from(ordinals))]));
}

/** A client system that was assigned to a node that serves it, and whose row does not say that this was confirmed. */
export type Waiting = { readonly fp: string; readonly index: number; readonly at: EpochMs };

/** The client systems of a segment whose status depends on what their nodes have seen. */
export function waitingIn(segment: Segment, zone: LoadedZone): Waiting[] {
  const [since, indexes, generations] = [placing.since, placing.index, placing.generation].map((column) => segment.numbers.get(column));
  const found: Waiting[] = [];
  if (!since || !indexes || !generations) return found;
  each(withNumber(since), (ordinal) => {
    const [at, index, generation] = [since, indexes, generations].map((column) => numberAt(column, ordinal));
    if (at !== undefined && index !== undefined && servesAt(zone, index, generation ?? 0))
      found.push({ fp: idAt(segment.ids, ordinal), index, at: EpochMs.parse(at) });
    return true;
  });
  return found;
}

/** The ordinals of a segment by a key; those without one are left out. */
function grouped<K>(size: number, keyOf: (ordinal: number) => K | undefined): Map<K, number[]> {
  const groups = new Map<K, number[]>();
  for (let ordinal = 0; ordinal < size; ordinal++) {
    const key = keyOf(ordinal);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(ordinal);
    else groups.set(key, [ordinal]);
  }
  return groups;
}
