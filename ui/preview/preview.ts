import { queryOptions } from '@tanstack/react-query';
import { call, type Reply, type Sent } from '../api/call.ts';

/** One order or one loss, as the API takes it. */
export type Order = NonNullable<Sent<'previewZone'>['query']>;

/** What would happen, as the planner computed it. */
export type Outcome = Reply<'previewZone'>;

/** What would happen in a zone by an order or a loss. Asked anew each time: it is good for one version of the map. */
export const previewOf = (zone: string, order: Order) =>
  queryOptions({
    queryKey: ['preview', zone, order],
    queryFn: ({ signal }) => call('previewZone', { params: { zone }, query: order, signal }),
    staleTime: 0,
    gcTime: 0,
  });

type Nodes = Outcome['nodes'];

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

/**
 * Whether two answers say the same of what would happen: which slots would move, from and to how many of whom, what
 * would wait, what would be lost, and what would hold it. Numbers of client systems are about right, and reasons and
 * forecasts go with the time: they make no other outcome.
 */
export const isSame = (a: Outcome, b: Outcome): boolean => JSON.stringify(essence(a)) === JSON.stringify(essence(b));

const essence = ({ moved, waiting, others, nodes, guards, isComplete, storage, stations }: Outcome) => ({
  ...{ moved: [moved.slots, moved.nodes], waiting: waiting.slots, isComplete, stations },
  others: others.map(({ node, slots }) => `${node} ${slots}`).sort(),
  gains: nodes.flatMap(({ node, slots }) => (slots.after === slots.before ? [] : [`${node} ${slots.after - slots.before}`])).sort(),
  guards: guards.map(({ rule, overruledBy }) => `${rule} ${overruledBy}`).sort(),
  storage: storage && [storage.hosts.toSorted(), storage.totals, storage.levels, storage.reached, storage.level, storage.liveness],
});
