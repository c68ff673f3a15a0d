import { queryOptions, experimental_streamedQuery as streamedQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { allOf } from '../live/queries.ts';
import type { Waiting } from './systems/groups.ts';

/** So many that wait are listed: who has more lets them in by a token. */
export const waitingMax = 5_000;
const pageSize = 200;

/** Those that wait so far as the page has them; `hasMore`: there are more than {@link waitingMax}. */
export type WaitingList = { readonly items: readonly Waiting[]; readonly hasMore: boolean };

/** The pages of those that wait, one after another. */
async function* waitingPages(signal: AbortSignal): AsyncGenerator<WaitingList> {
  let n = 0;
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await call('listSystems', { query: { status: 'new', limit: pageSize, cursor }, signal });
    n += items.length;
    yield { items, hasMore: next !== undefined && n >= waitingMax };
    if (next === undefined || n >= waitingMax) return;
    cursor = next;
  }
}

/** The questions of this view. */
export const poolAsks = {
  /** Client systems that wait: shown from the first page on, and read anew without a gap. */
  systems: queryOptions({
    queryKey: ['pool', 'systems'],
    queryFn: streamedQuery({
      streamFn: ({ signal }) => waitingPages(signal),
      refetchMode: 'replace',
      initialValue: { items: [], hasMore: false } as WaitingList,
      reducer: (list: WaitingList, { items, hasMore }: WaitingList) => ({ items: [...list.items, ...items], hasMore }),
    }),
    structuralSharing: false,
    refetchInterval: 30_000,
  }),
  hosts: queryOptions({
    queryKey: ['hosts', 'pool'],
    queryFn: ({ signal }) => allOf((cursor) => call('listNodePool', { query: { limit: pageSize, cursor }, signal })),
    refetchInterval: 10_000,
  }),
  rules: queryOptions({
    queryKey: ['hosts', 'rules'],
    queryFn: async ({ signal }) => (await call('listAdmissionRules', { signal })).rules,
    refetchInterval: 30_000,
  }),
  onboardingTokens: queryOptions({
    queryKey: ['tokens', 'onboarding'],
    queryFn: ({ signal }) => allOf((cursor) => call('listOnboardingTokens', { query: { limit: pageSize, cursor }, signal })),
    refetchInterval: 15_000,
  }),
  nodeTokens: queryOptions({
    queryKey: ['tokens', 'node'],
    queryFn: ({ signal }) => allOf((cursor) => call('listNodeTokens', { query: { limit: pageSize, cursor }, signal })),
    refetchInterval: 15_000,
  }),
};
