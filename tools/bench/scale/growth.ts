import type { Scale } from '../scale.ts';
import type { ScaleSize } from './seed.ts';

/** The most read and write units for each of several things. */
type Each = { readonly reads?: number; readonly writes?: number };

/**
 * The operations whose usage may grow, and by how much; all others use as much at any size. An entry of an index has
 * about 150 B and a question reads 8 KB with a unit; a list is written with 67 B for each client system on it; a digest
 * has a bit for each, twice.
 */
export const mayGrow: Readonly<Record<string, { readonly client?: Each; readonly clientOfNode?: Each; readonly node?: Each }>> = {
  'count of a zone': { client: { reads: 1 / 45, writes: 1 / 700 }, node: { reads: 2.5, writes: 5 } },
  'list of its client systems, new': { clientOfNode: { reads: 1 / 80, writes: 1 / 50 } },
  'list of its client systems, as before': { clientOfNode: { reads: 1 / 60 } },
  // On a node that has also taken slots from lost nodes. With few client systems its scattered slots are read whole;
  // with many they are read by ranges, once a page has named which.
  'list of a node with pins, new': { clientOfNode: { reads: 1 / 46, writes: 1 / 45 } },
  'list of a node with pins, as before': { clientOfNode: { reads: 1 / 46 } },
  'heartbeat with a digest': { clientOfNode: { writes: 1 / 4_000 } },
  overview: { node: { reads: 1 / 16 } },
  'zones, a page': { node: { reads: 1 / 16 } },
  'one zone shown': { node: { reads: 1 / 16 } },
  'nodes, a page of 10': { node: { reads: 1 / 16 } },
  'one node shown': { node: { reads: 1 / 16 } },
  'a zone changed': { node: { reads: 1 / 16, writes: 1 / 200 } },
  // A vote is counted where its node is silent, as all but two are here: more likely in a larger zone.
  'knock that its node is lost': { node: { reads: 1 / 400, writes: 1 / 400 } },
  // The call looks through at most 400 systems for the few that are on the node.
  'client systems of a node, a page of 1': { node: { reads: 2 } },
  // The head has 3 B for each node, and is in the history too.
  'the first pin of a zone': { node: { writes: 1 / 100 } },
  'pin of 46 client systems': { node: { writes: 1 / 100 } },
  '46 client systems let go': { node: { writes: 1 / 100 } },
  // Map, members and counts are read for a plan, and moves are written.
  'node is ready, and takes its share': { node: { reads: 1, writes: 1 / 4 } },
  'first step of a drain': { node: { reads: 1, writes: 1 / 30 } },
  'next step of a drain': { node: { reads: 1, writes: 1 / 30 } },
  'node lost, with a minute of sweeps': { node: { reads: 2, writes: 1 / 30 } },
};

/** Units of an operation at two sizes, where it grew by more than it may. */
export type Grown = { readonly operation: string; readonly of: 'reads' | 'writes'; readonly from: number; readonly to: number };

/**
 * The operations that use more at the larger size than they may. An operation that the smaller size does not have is
 * new, and may use nothing.
 */
export function grownBetween(small: Scale, large: Scale, { from, to }: { readonly from: ScaleSize; readonly to: ScaleSize }): Grown[] {
  const [clients, nodes] = [to.clients - from.clients, to.nodes - from.nodes];
  const ofNode = Math.max(0, to.clients / to.nodes - from.clients / from.nodes);
  return Object.entries(large).flatMap(([operation, used]) =>
    (['reads', 'writes'] as const).flatMap((of): Grown[] => {
      const may = mayGrow[operation];
      const allowed = clients * (may?.client?.[of] ?? 0) + ofNode * (may?.clientOfNode?.[of] ?? 0) + nodes * (may?.node?.[of] ?? 0);
      const was = small[operation]?.[of] ?? 0;
      return used[of] > was + allowed ? [{ operation, of, from: was, to: used[of] }] : [];
    }),
  );
}
