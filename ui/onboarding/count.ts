import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { badgeOf, type WaitingCount } from './badge.ts';
import { useFreshPool } from './fresh.ts';

const limit = 200;

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
