import type { EpochMs } from '../../../lib/core/time.ts';
import { isLive, type StorageCluster } from '../../../lib/mero/clusters/cluster.ts';
import type { MeroNode } from '../../../lib/mero/nodes/mero-node.ts';
import { type MeroProcess, processId } from '../../../lib/mero/processes/process.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import type { Committed } from '../watching.ts';
import type { World } from '../world/world.ts';
import { onceEach } from './once.ts';

/** A process's row in a commit, as the process was and is: undefined where there is none, or none any more. */
export type ProcessStep = {
  readonly at: EpochMs;
  /** Its zone and fid: each zone has its own. */
  readonly id: string;
  readonly before: MeroProcess | undefined;
  readonly after: MeroProcess | undefined;
  readonly row: Row;
};

const isOf = (kind: string, { key }: Row): boolean => key.pk.startsWith('cluster#') && (key.sk === kind || key.sk.startsWith(`${kind}#`));
const stateIn = <S>(row: Row | undefined): S | undefined => (row === undefined || row.gone ? undefined : (row.body as S));

/** The processes of a commit. */
export const processSteps = onceEach((changes: readonly Committed[]): readonly ProcessStep[] =>
  changes.flatMap(({ at, before, after }): ProcessStep[] =>
    isOf('process', after)
      ? [{ at, id: processId(after.body as MeroProcess), before: stateIn(before), after: stateIn(after), row: after }]
      : [],
  ),
);

/** The storage cluster of a commit, as it was and is. */
export const clusterSteps = onceEach((changes: readonly Committed[]) =>
  changes.flatMap(({ before, after }) =>
    isOf('cluster', after) ? [{ before: stateIn<StorageCluster>(before), after: stateIn<StorageCluster>(after), row: after }] : [],
  ),
);

/** The Mero nodes of a commit. */
export const meroNodeSteps = onceEach((changes: readonly Committed[]) =>
  changes.flatMap(({ after }) =>
    isOf('node', after) ? [{ fqdn: (after.body as MeroNode).fqdn as string, after: stateIn<MeroNode>(after) }] : [],
  ),
);

/** All rows of a kind that are there now, with what they say. */
export const standing = <S>(world: World, kind: 'cluster' | 'process' | 'node' | 'endpoint' | 'devices'): { state: S; row: Row }[] =>
  [...world.cluster.store.rows.rows.values()].flatMap((row) => {
    const state = isOf(kind, row) ? stateIn<S>(row) : undefined;
    return state === undefined ? [] : [{ state, row }];
  });

/** The rows of a storage cluster by their sort keys, without those that are gone. */
export type ClusterRows = ReadonlyMap<string, Row>;

/** All storage clusters as commits make them. */
export class Clusters {
  readonly rows = new Map<string, Map<string, Row>>();

  /** Takes a commit in; gives the partitions that it has changed. */
  take(changes: readonly Committed[]): ReadonlySet<string> {
    const changed = new Set<string>();
    for (const { after } of changes) {
      const { pk, sk } = after.key;
      if (!pk.startsWith('cluster#')) continue;
      const rows = this.rows.get(pk) ?? new Map<string, Row>();
      this.rows.set(pk, rows);
      if (after.gone) rows.delete(sk);
      else rows.set(sk, after);
      changed.add(pk);
    }
    return changed;
  }

  /** Whether readers of its cluster see a process. */
  has({ zone, load }: Pick<MeroProcess, 'zone' | 'load'>): boolean {
    const cluster = clusterIn(this.rows.get(`cluster#${zone}`) ?? new Map());
    return cluster !== undefined && isLive({ load }, cluster);
  }
}

/** What a cluster's own row says; undefined where there is none. */
export const clusterIn = (rows: ClusterRows): StorageCluster | undefined => rows.get('cluster')?.body as StorageCluster | undefined;

/** Rows of a kind that readers of a cluster see: those of no load, and those of the load that it has. */
export function liveIn(rows: ClusterRows, kind: 'process' | 'node' | 'endpoint' | 'devices' | 'layout'): readonly Row[] {
  const loaded = clusterIn(rows)?.loaded?.load;
  return [...rows].flatMap(([sk, row]) =>
    sk.startsWith(`${kind}#`) && [undefined, loaded].includes((row.body as { load?: string }).load) ? [row] : [],
  );
}

/** A process in a sentence. */
export const toldProcess = ({ id, before, after, row }: ProcessStep): string =>
  `${id} went from ${before?.state.is ?? 'nothing'} to ${after?.state.is ?? 'nothing'} by ${row.by} (${row.because})`;
