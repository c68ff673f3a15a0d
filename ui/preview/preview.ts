import { queryOptions } from '@tanstack/react-query';
import { call, type Reply, type Sent } from '../api/call.ts';

/** One order or one loss, as the API takes it. */
export type Order = NonNullable<Sent<'previewZone'>['query']>;

/** What would happen in a zone by an order or a loss. Asked anew each time: it is good for one version of the map. */
export const previewOf = (zone: string, order: Order) =>
  queryOptions({
    queryKey: ['preview', zone, order],
    queryFn: ({ signal }) => call('previewZone', { params: { zone }, query: order, signal }),
    staleTime: 0,
    gcTime: 0,
  });

type Nodes = Reply<'previewZone'>['nodes'];

/**
 * The nodes that a preview shows: those that change, the ones it is about first, then the others by how much they get,
 * and how many stay as they are.
 */
export function changing(nodes: Nodes, about: readonly string[]): { readonly shown: Nodes; readonly same: number } {
  const differs = ({ systemsAbout, slots }: Nodes[number]): boolean =>
    systemsAbout.before !== systemsAbout.after || slots.before !== slots.after;
  const shown = nodes.filter((node) => about.includes(node.node) || differs(node));
  const rank = ({ node, systemsAbout }: Nodes[number]): number =>
    about.includes(node) ? Number.POSITIVE_INFINITY : systemsAbout.after - systemsAbout.before;
  return {
    shown: shown.toSorted((a, b) => (rank(a) === rank(b) ? a.fqdn.localeCompare(b.fqdn, 'en', { numeric: true }) : rank(b) - rank(a))),
    same: nodes.length - shown.length,
  };
}
