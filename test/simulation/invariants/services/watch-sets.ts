import type { NodeId } from '../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../lib/core/time.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import { type Service, supervisorType } from '../../../../lib/services/service.ts';
import type { WatchSet } from '../../../../lib/services/watch-set.ts';
import type { Committed } from '../../watching.ts';
import type { World } from '../../world/world.ts';
import type { Invariant } from '../invariant.ts';
import { onceEach } from '../once.ts';
import { standingServices } from '../service-rows.ts';

const isSet = ({ key }: Row): boolean => key.pk.startsWith('supervision#') && key.sk.startsWith('set#');
const setIn = (row: Row | undefined): WatchSet | undefined => (row === undefined || row.gone ? undefined : (row.body as WatchSet));

/** The set of a supervisor in a commit, by its node, as it was and is: undefined where it has none. */
export type SetStep = {
  readonly at: EpochMs;
  readonly node: NodeId;
  readonly before: WatchSet | undefined;
  readonly after: WatchSet | undefined;
  readonly row: Row;
};

/** The sets of a commit. */
export const setSteps = onceEach((changes: readonly Committed[]): readonly SetStep[] =>
  changes.flatMap(({ at, before, after }): SetStep[] =>
    isSet(after) ? [{ at, node: (after.body as WatchSet).node, before: setIn(before), after: setIn(after), row: after }] : [],
  ),
);

/** All sets that there are now. */
export const setsIn = (world: World): WatchSet[] =>
  [...world.cluster.store.rows.rows.values()].flatMap((row) => (isSet(row) ? (setIn(row) ?? []) : []));

/**
 * Whoever is watched by two may be asked for by either, and nobody hears of a supervisor that says of itself that all
 * is well.
 */
export const watchSets: Invariant = {
  name: 'each-is-watched-by-one-supervisor',
  says: 'at any time the services of a node are in the set of one supervisor at the most, and so is a supervisor, and none is in its own',
  begin: ({ violated }) => {
    const sets = new Map<string, WatchSet>();
    return {
      committed: (changes) => {
        const touched = setSteps(changes);
        for (const { node, after } of touched) {
          if (after) sets.set(node, after);
          else sets.delete(node);
        }
        if (touched.length > 0) for (const fault of faultsOf([...sets.values()])) violated(fault);
      },
    };
  },
};

function* faultsOf(sets: readonly WatchSet[]): Generator<string> {
  for (const kind of ['services', 'supervisors'] as const) {
    const by = new Map<NodeId, NodeId>();
    for (const set of sets)
      for (const { node } of set[kind]) {
        const other = by.get(node);
        if (other !== undefined) yield `the ${kind} of ${node} are watched from ${other} and from ${set.node}`;
        if (kind === 'supervisors' && node === set.node) yield `the supervisor of ${node} watches itself`;
        by.set(node, set.node);
      }
  }
}

/** A set that stays with a dead supervisor is one that nobody watches, and nobody knows. */
export const watchedAtTheEnd: Invariant = {
  name: 'services-are-watched-at-the-end',
  says: 'once faults have ended, all services of a zone that has a supervisor online are watched by one that is, those of its own node by itself, each supervisor by another where there is one, and no supervisor has two foreign sets more than another',
  begin: ({ world }) => ({
    unrest: () =>
      [...Map.groupBy(standingServices(world()), ({ zone }) => zone)].flatMap(([zone, services]) => unwatched(world(), zone, services)),
  }),
};

function unwatched(world: World, zone: string, services: readonly Service[]): string[] {
  const here = new Map(
    setsIn(world)
      .filter((set) => set.zone === zone)
      .map((set) => [set.node, set]),
  );
  const online = new Set(services.filter(({ type, state }) => type === supervisorType && state.is === 'online').map(({ node }) => node));
  const watching = [...here.keys()]
    .filter((node) => !online.has(node))
    .map((node) => `${node} watches, and has no supervisor that is online`);
  if (online.size === 0) return watching;
  const byOf = (kind: 'services' | 'supervisors', of: NodeId) =>
    [...here.values()].find((set) => set[kind].some(({ node }) => node === of))?.node;
  const bare = [...new Set(services.filter(({ type }) => type !== supervisorType).map(({ node }) => node))].flatMap((node) => {
    const by = byOf('services', node);
    return by === undefined || (online.has(node) && by !== node) ? [`the services of ${node} are watched from ${by ?? 'nowhere'}`] : [];
  });
  const alone = [...online].filter((node) => online.size > 1 && byOf('supervisors', node) === undefined);
  const loads = [...online].map((node) => {
    const { services: watched = [], supervisors = [] } = here.get(node) ?? {};
    return watched.filter((one) => one.node !== node).length + supervisors.length;
  });
  const uneven = Math.max(...loads) - Math.min(...loads) > 1 ? [`sets are uneven: ${loads.join(', ')}`] : [];
  return [...watching, ...bare, ...alone.map((node) => `nobody watches the supervisor of ${node}`), ...uneven];
}
