import type { StorageCluster } from '../../../lib/clusters/cluster.ts';
import type { MeroNode } from '../../../lib/mero-nodes/mero-node.ts';
import type { MeroProcess } from '../../../lib/processes/process.ts';
import type { Row } from '../../../lib/table/table.ts';
import type { EpochMs } from '../../../lib/units.ts';
import type { Committed } from '../watching.ts';
import type { World } from '../world/world.ts';

/** A process's row in a commit, as the process was and is: undefined where there is none, or none any more. */
export type ProcessStep = {
  readonly at: EpochMs;
  readonly fid: string;
  readonly before: MeroProcess | undefined;
  readonly after: MeroProcess | undefined;
  readonly row: Row;
};

const isOf = (kind: string, { key }: Row): boolean => key.pk.startsWith('cluster#') && (key.sk === kind || key.sk.startsWith(`${kind}#`));
const stateIn = <S>(row: Row | undefined): S | undefined => (row === undefined || row.gone ? undefined : (row.body as S));

/** The processes of a commit. */
export const processSteps = (changes: readonly Committed[]): ProcessStep[] =>
  changes.flatMap(({ at, before, after }): ProcessStep[] =>
    isOf('process', after)
      ? [{ at, fid: (after.body as MeroProcess).fid, before: stateIn(before), after: stateIn(after), row: after }]
      : [],
  );

/** The storage cluster of a commit, as it was and is. */
export const clusterSteps = (changes: readonly Committed[]) =>
  changes.flatMap(({ before, after }) =>
    isOf('cluster', after) ? [{ before: stateIn<StorageCluster>(before), after: stateIn<StorageCluster>(after), row: after }] : [],
  );

/** The Mero nodes of a commit. */
export const meroNodeSteps = (changes: readonly Committed[]) =>
  changes.flatMap(({ after }) =>
    isOf('node', after) ? [{ fqdn: (after.body as MeroNode).fqdn as string, after: stateIn<MeroNode>(after) }] : [],
  );

/** All rows of a kind that are there now, with what they say. */
export const standing = <S>(world: World, kind: 'cluster' | 'process' | 'node' | 'endpoint' | 'devices'): { state: S; row: Row }[] =>
  [...world.cluster.store.rows.rows.values()].flatMap((row) => {
    const state = isOf(kind, row) ? stateIn<S>(row) : undefined;
    return state === undefined ? [] : [{ state, row }];
  });

/** A process in a sentence. */
export const toldProcess = ({ fid, before, after, row }: ProcessStep): string =>
  `${fid} went from ${before?.state.is ?? 'nothing'} to ${after?.state.is ?? 'nothing'} by ${row.by} (${row.because})`;
