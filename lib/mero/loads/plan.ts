import type * as z from 'zod';
import type { ClusterLoaded } from '../../../events/published/loading.ts';
import { nothing, type Plan, type PlannedChange, write } from '../../core/decision.ts';
import type { Fid } from '../../core/fid.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { clusterRef, type FidCounter, fidBlock, fidsRef, type StorageCluster } from '../clusters/cluster.ts';
import type { LoadSize } from '../facts/load/parts.ts';
import { type Held, loadIdleMs, lookFrom } from './garbage.ts';
import { type Garbage, loadRef, type MeroLoad } from './load.ts';

/** A request to load facts, and the id that a new load would have. */
export type AskedLoad = { readonly identity: string; readonly size: LoadSize; readonly newLoad: string };

/** The rows that loads begin and end with; a cluster without a row counts as a new one. */
export type LoadGround = {
  readonly cluster: Held<StorageCluster> & { readonly state: StorageCluster };
  readonly load: Held<MeroLoad>;
  readonly fids: Held<FidCounter>;
  readonly garbage: Held<Garbage>;
};

/**
 * The outcome of a request: the load to hand parts to, that the facts are loaded already, or what stands in the way.
 */
export type Begun =
  | { readonly is: 'under-way'; readonly load: MeroLoad; readonly isNew: boolean; readonly plan: Plan }
  | { readonly is: 'loaded'; readonly load: string }
  | { readonly is: 'other-facts' | 'not-yet'; readonly because: string };

/** Begins a load, or resumes the one of the same facts. Two loads at once would take each other's hosts. */
export function planBegin(asked: AskedLoad, ground: LoadGround, now: EpochMs): Begun {
  const { state: cluster } = ground.cluster;
  const { state: going, rev } = ground.load;
  if (cluster.loaded?.identity === asked.identity) return { is: 'loaded', load: cluster.loaded.load };
  if (cluster.loaded) return { is: 'other-facts', because: `zone ${cluster.zone} has other facts: ${sized(cluster.loaded.size)}` };
  if (!going) return begin(asked, ground, now);
  if (going.identity !== asked.identity) {
    const since = new Date(going.begunAt).toISOString();
    return { is: 'not-yet', because: `load ${going.load} of other facts is under way since ${since}: finish it, or give it up` };
  }
  const { ending: _ending, ...rest } = going;
  const next: MeroLoad = { ...rest, seenAt: now };
  const because = 'the load of facts is resumed';
  const changes = [{ ref: loadRef(cluster.zone), readRev: rev, decision: write(next, because) }];
  return { is: 'under-way', load: next, isNew: false, plan: { because: [because], changes } };
}

const sized = ({ nodes, processes, devices }: Pick<LoadSize, 'nodes' | 'processes' | 'devices'>): string =>
  `${nodes} nodes, ${processes} processes, ${devices} devices`;

/**
 * Begins a load. Everything that is written from now on may become garbage: the rows are searched once the load has
 * been idle for long, whether or not it was finished.
 */
function begin({ identity, size, newLoad }: AskedLoad, { cluster, load, fids, garbage }: LoadGround, now: EpochMs): Begun {
  const { zone } = cluster.state;
  const base = fids.state?.last ?? 0;
  const row: MeroLoad = { load: newLoad, identity, size, base, begunAt: now, seenAt: now };
  const last = base + Math.ceil(size.fids / fidBlock) * fidBlock;
  const because = `facts are loaded: ${sized(size)}`;
  const changes: PlannedChange[] = [
    { ref: loadRef(zone), readRev: load.rev, decision: write(row, because) },
    { ref: fidsRef(zone), readRev: fids.rev, decision: write<FidCounter, never>({ last }, because) },
    lookFrom(zone, garbage, plusMs(now, loadIdleMs)),
    stays(cluster),
  ];
  return { is: 'under-way', load: row, isNew: true, plan: { because: [because], changes } };
}

/** Requires that the cluster's row is as it was read: nothing was loaded meanwhile. */
const stays = ({ state, rev, wakeAt }: LoadGround['cluster']): PlannedChange => ({
  ref: clusterRef(state.zone),
  readRev: rev,
  decision: nothing('the cluster is as it was', wakeAt),
});

/**
 * Closes a load to further parts: its content stays as it is while it is checked. Resuming the load takes that back.
 */
export function planEnding({ cluster, load }: LoadGround, going: MeroLoad): Plan {
  const because = 'the load is checked as a whole';
  const decision = write<MeroLoad, never>({ ...going, ending: true }, because);
  return { because: [because], changes: [{ ref: loadRef(cluster.state.zone), readRev: load.rev, decision }] };
}

/**
 * The one commit that makes a load visible to all readers: the cluster's row names it. The load's own row ends with it.
 */
export function planFlip({ cluster, load, garbage }: LoadGround, going: MeroLoad, profile: Fid | undefined, now: EpochMs): Plan {
  const { state, rev, wakeAt } = cluster;
  const { nodes, processes, services, devices } = going.size;
  const size = { nodes, processes, services, devices };
  const because = `loaded: ${sized(going.size)}`;
  const { profile: _before, ...rest } = state;
  const next: StorageCluster = {
    ...rest,
    ...(profile && { profile }),
    loaded: { load: going.load, identity: going.identity, at: now, size },
    goals: state.goals + 1,
  };
  const event: z.infer<typeof ClusterLoaded> = {
    type: 'cluster.loaded',
    version: 1,
    data: { zone: state.zone, load: going.load, ...size },
  };
  return {
    because: [because],
    changes: [
      { ref: clusterRef(state.zone), readRev: rev, decision: write(next, because, { events: [event], wakeAt }) },
      { ref: loadRef(state.zone), readRev: load.rev, decision: { does: 'remove', last: going, events: [], because } },
      lookFrom(state.zone, garbage, now),
    ],
  };
}

/** Gives a load up: everything that it wrote is garbage. */
export function planGivenUp({ cluster, load, garbage }: LoadGround, going: MeroLoad, because: string, now: EpochMs): Plan {
  const { zone } = cluster.state;
  const changes: PlannedChange[] = [
    { ref: loadRef(zone), readRev: load.rev, decision: { does: 'remove', last: going, events: [], because } },
    lookFrom(zone, garbage, now),
  ];
  return { because: [because], changes };
}
