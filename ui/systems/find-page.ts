import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Wanted } from './asks.ts';
import { pageSize } from './chain.ts';
import { againMs } from './pause.ts';

/** A page of the list, by its cursor: empty for the first. What nobody looks at is soon forgotten. */
export const findPage = ({ q, sort, isDown }: Wanted, cursor: string) =>
  queryOptions({
    queryKey: ['found', 'page', q, sort, isDown, cursor],
    queryFn: ({ signal }) =>
      call('findSystems', {
        query: { q, sort, limit: pageSize, ...(isDown && { down: 'yes' as const }), ...(cursor !== '' && { cursor }) },
        signal,
      }),
    gcTime: 15_000,
    refetchInterval: againMs,
  });
