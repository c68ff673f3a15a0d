import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';

/** How many client systems that an order by a query is for are named before it is given. */
const namedMax = 5;

/**
 * All that match a query, as an order is held against them. Nothing asks for it anew by itself: a person decides by
 * what was looked at.
 */
export const lookAt = (q: string) =>
  queryOptions({
    queryKey: ['looked-at', q],
    queryFn: ({ signal }) => call('findSystems', { query: { q, limit: namedMax, facets: 'zone,tag,group', expect: 'yes' }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
