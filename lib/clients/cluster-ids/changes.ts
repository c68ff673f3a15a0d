import { type PlannedChange, write } from '../../core/decision.ts';
import { MusterError } from '../../core/errors.ts';
import type { ClusterId, Fingerprint } from '../../core/ids.ts';
import { apply } from '../../runtime/apply.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { type Numbers, nextNumber } from '../../runtime/reserved-numbers.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type ClusterIdOwner, clusterIdRef, clusterIdsRef, decideClusterIds } from './cluster-ids.ts';

/** How many ids one commit reserves: what an environment has not given when it ends is lost, of 647 million. */
export const blockSize = 64;

/**
 * A cluster id that nobody was given. One commit for 64 calls, also for those at the same time. Throws a {@link Later}
 * when the row stays busy, and a {@link MusterError} when all ids are given.
 */
export const newClusterId = (shell: Shell): Promise<ClusterId> => nextNumber(shell, 'cluster-ids', () => reserve(shell));

async function reserve(shell: Shell): Promise<Numbers> {
  // The caller did not order it: the audit has what follows from the order.
  const { actor: _caller, ...own } = shell;
  const input = { type: 'reserve', id: shell.newId(), count: blockSize } as const;
  const { decision } = await apply(own, clusterIdsRef(), input, decideClusterIds);
  if (decision.does !== 'write') throw new MusterError('cluster-ids.ended', decision.because, 'never');
  return { next: decision.next.next - blockSize, end: decision.next.next };
}

/** A cluster id for one input, taken when it is first asked for: the same at each attempt. */
export function clusterIdOnce(shell: Shell): () => Promise<ClusterId> {
  let id: Promise<ClusterId> | undefined;
  return () => (id ??= newClusterId(shell));
}

const ownerChange = (id: ClusterId, readRev: number, fp: Fingerprint): PlannedChange => ({
  ref: clusterIdRef(id),
  readRev,
  decision: write<ClusterIdOwner, never>({ of: fp }, 'its cluster id'),
  besides: true,
});

/**
 * The row that finds a client system by the cluster id that it is given. The commit fails if any has that id: even an
 * environment that holds a block by mistake gives no id twice.
 */
export const givenId = (id: ClusterId, fp: Fingerprint): PlannedChange => ownerChange(id, 0, fp);

/** The row by which the next holder of a cluster id is found from now on; none if there is no id. */
export async function inheritedId(reading: Reading, id: ClusterId | undefined, heir: Fingerprint): Promise<PlannedChange[]> {
  return id === undefined ? [] : [ownerChange(id, (await reading.row(clusterIdRef(id)))?.rev ?? 0, heir)];
}
