import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { useFreshPool } from './fresh.ts';

const countedMax = 200;

const asksCount = queryOptions({
  queryKey: ['pool', 'count'],
  queryFn: async ({ signal }) => {
    const { items, next } = await call('listSystems', { query: { status: 'new', limit: countedMax }, signal });
    return { n: items.length, isMore: next !== undefined };
  },
  refetchInterval: 30_000,
});

/** How many client systems wait, as a badge: nothing when none does, `200+` when it would take more than one page to count. */
export function useWaitingBadge(): string | undefined {
  useFreshPool('count', 2_000);
  const count = useQuery(asksCount).data;
  if (count === undefined || count.n === 0) return undefined;
  return count.isMore ? `${count.n}+` : String(count.n);
}
