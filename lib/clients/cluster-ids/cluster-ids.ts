import * as z from 'zod';
import { type Decision, nothing, write } from '../../core/decision.ts';
import { type ClusterId, clusterIdMax, Fingerprint, NodeId } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { unreachable } from '../../core/time.ts';

/**
 * The first id that Muster gives. Servers count their systems from 1,000,010,000 (the sequence of rhnServer), so that
 * those of a server that was adopted can keep their ids below.
 */
export const firstId = 1_500_000_000;

/** Which cluster ids are given: one row of the deployment. */
export const ClusterIds = z.strictObject({
  /** The least that was never reserved. */
  next: z.int().min(firstId),
  /** The server that was adopted first, whose systems keep their own ids. */
  server: NodeId.optional(),
});
export type ClusterIds = z.infer<typeof ClusterIds>;

/** The row that says which cluster ids are given. */
export const clusterIdsRef = refOf('cluster-ids', ClusterIds, () => 'all');

/** The row of a cluster id: it names the client system that has it. */
export const ClusterIdOwner = z.strictObject({ of: Fingerprint });
export type ClusterIdOwner = z.infer<typeof ClusterIdOwner>;
export const clusterIdRef = refOf('cluster-id', ClusterIdOwner, (id: ClusterId) => String(id));

/** A caller reserves so many ids, or a server is the first to be adopted. */
export type ClusterIdsCommand =
  | { readonly type: 'reserve'; readonly id: string; readonly count: number }
  | { readonly type: 'adopt'; readonly id: string; readonly server: NodeId };

const noneGiven: ClusterIds = { next: firstId };

/** Decides what a command does to the row of the ids that are given. */
export function decideClusterIds(given: ClusterIds | undefined, command: ClusterIdsCommand): Decision<ClusterIds> {
  const before = given ?? noneGiven;
  switch (command.type) {
    case 'reserve': {
      const next = before.next + command.count;
      if (next > clusterIdMax) return nothing('no cluster ids are left');
      return write<ClusterIds, never>({ ...before, next }, `${command.count} cluster ids are reserved`);
    }
    case 'adopt':
      if (before.server !== undefined) return nothing('a server was adopted before');
      return write<ClusterIds, never>({ ...before, server: command.server }, 'the systems of the first server keep their ids');
    default:
      return unreachable(command);
  }
}

/** Whether systems of a server keep their ids: of the first that is adopted, and below those that Muster gives. */
export const keepsOwn = (given: ClusterIds | undefined, server: string, own: number | undefined): own is ClusterId =>
  own !== undefined && own > 0 && own < firstId && (given?.server ?? server) === server;
