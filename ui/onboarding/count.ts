import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { useFreshPool } from './fresh.ts';

const limit = 200;

/** How many wait; `isMore`: so many that it takes more than one page to count them. */
export type WaitingCount = { readonly n: number; readonly isMore: boolean };

const systemsCount = queryOptions({
  queryKey: ['pool', 'count'],
  queryFn: async ({ signal }): Promise<WaitingCount> => {
    const { items, next } = await call('listSystems', { query: { status: 'new', limit }, signal });
    return { n: items.length, isMore: next !== undefined };
  },
  refetchInterval: 30_000,
});

/** No event tells of a host that waits, so that it is asked for now and then. */
const hostsCount = queryOptions({
  queryKey: ['pool', 'hosts'],
  queryFn: async ({ signal }): Promise<WaitingCount> => {
    const { items, next } = await call('listNodePool', { query: { limit }, signal });
    return { n: items.filter(({ standing }) => standing === 'waiting').length, isMore: next !== undefined };
  },
  refetchInterval: 20_000,
});

/** A count as a badge: nothing where none waits, `200+` where more wait than were counted. */
export const badgeOf = (counts: readonly (WaitingCount | undefined)[]): string | undefined => {
  const n = counts.reduce((sum, count) => sum + (count?.n ?? 0), 0);
  if (n === 0) return undefined;
  return counts.some((count) => count?.isMore) ? `${n}+` : String(n);
};

/** How many client systems, and how many hosts, wait for an operator. */
export function useWaitingCounts(): { readonly systems: WaitingCount | undefined; readonly hosts: WaitingCount | undefined } {
  useFreshPool('count', 2_000);
  return { systems: useQuery(systemsCount).data, hosts: useQuery(hostsCount).data };
}

/** How many of both wait, as a badge. */
export function useWaitingBadge(): string | undefined {
  const { systems, hosts } = useWaitingCounts();
  return badgeOf([systems, hosts]);
}
