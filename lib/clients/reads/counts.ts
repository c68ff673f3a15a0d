import type { AdminCaller } from '../../access/verify-admin.ts';
import type { EpochMs } from '../../core/time.ts';
import { cached, type Shell } from '../../runtime/shell.ts';
import type { Query } from '../../search/language/query.ts';
import { fleetOf } from '../../search/reads/fleet.ts';
import { partOfNoZone } from '../../search/reads/taken.ts';
import type { Facet } from '../../search/segment/facets.ts';
import { among, placing } from '../../search/systems/document.ts';
import type { LabelCounts, SystemCounts } from '../admin-routes.ts';
import { type Searchable, searchable } from './search.ts';

/** How many of the most frequent tags and groups are counted. */
const labelsMax = 50;

/** How many client systems a caller sees, in each zone and together, and with which tags and groups. */
export type FleetCounts = {
  /** Everything that was published before this moment is counted. */
  readonly asOf: string;
  readonly systems: SystemCounts;
  readonly tags: LabelCounts;
  readonly groups: LabelCounts;
  readonly zones: ReadonlyMap<string, SystemCounts>;
};

/** No client system at all. */
export const noSystems: SystemCounts = { new: 0, onboarded: 0, orphan: 0, deleted: 0, held: 0, silent: 0 };

/** Counting takes about half a microsecond a client system: more than these are counted anew after a while. */
const countedAtOnceMax = 20_000;
const countedForMs = 5_000;
/** The counts of how many different callers an environment remembers. */
const callersMax = 100;

type Known = { readonly at: EpochMs; readonly counts: FleetCounts };

/**
 * Counts the client systems of a caller's zones, and of no zone for callers who are limited to none, by the index of
 * searches: the first call of an environment reads every row into it, as a first search does. The counts of more than
 * 20,000 client systems may be 5 s old.
 */
export async function fleetCounts(shell: Shell, caller: AdminCaller): Promise<FleetCounts> {
  const all = cached(shell, 'fleet counts', () => new Map<string, Known>());
  const key = caller.zones === 'all' ? '*' : [...caller.zones].sort().join(' ');
  const known = all.get(key);
  if (known && shell.now() - known.at < countedForMs) return known.counts;
  const fleet = await fleetOf(shell);
  const seen = await searchable(shell, fleet, caller, true);
  const counts = counted(seen, fleet.asOf, shell.now());
  if (all.size >= callersMax) all.clear();
  if (seen.size > countedAtOnceMax) all.set(key, { at: shell.now(), counts });
  return counts;
}

function counted(seen: Searchable, asOf: EpochMs, now: EpochMs): FleetCounts {
  const facets = [
    { field: 'tag', top: labelsMax },
    { field: 'group', top: labelsMax },
  ];
  const labels = seen.search({ ...none, query: among({ op: 'all' }, now), facets }).facets;
  return {
    asOf: new Date(asOf).toISOString(),
    systems: countsIn(seen, now),
    tags: labelCounts(labels, 'tag'),
    groups: labelCounts(labels, 'group'),
    zones: new Map(seen.parts.flatMap((part) => (part === partOfNoZone ? [] : [[part, countsIn(seen, now, part)]]))),
  };
}

/** No rows, in any order. */
const none = { order: { by: 'id', down: false }, limit: 0 } as const;

function countsIn(seen: Searchable, now: EpochMs, part?: string): SystemCounts {
  const count = (query: Query): number => seen.search({ ...none, query: among(query, now) }, part).total;
  const byStatus = seen.search({ ...none, query: among({ op: 'all' }, now), facets: [{ field: 'status', top: 10 }] }, part).facets[0];
  const of = new Map(byStatus?.values.map(({ value, count: many }) => [value, many]));
  return {
    new: of.get('new') ?? 0,
    onboarded: of.get('onboarded') ?? 0,
    orphan: of.get('orphan') ?? 0,
    deleted: of.get('deleted') ?? 0,
    held: count(present(placing.held)),
    silent: count(present('silent')),
  };
}

const present = (field: string): Query => ({ op: 'term', field, test: { is: 'present' }, at: 0, text: '' });

function labelCounts(facets: readonly Facet[], field: string): LabelCounts {
  const { values = [], distinct = 0 } = facets.find((facet) => facet.field === field) ?? {};
  return { values: [...values], more: distinct - values.length };
}
