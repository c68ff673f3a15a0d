import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call, type Reply } from '../api/call.ts';
import { againMs } from './pause.ts';
import { withTerm } from './terms.ts';

/** A client system as the API shows it. */
export type System = Reply<'findSystems'>['items'][number];
/** The order of the list. */
export type Sort = 'name' | 'seen' | 'registered' | 'fp';
/** What the list shows: a query, an order, and whether the last comes first. */
export type Wanted = { readonly q: string; readonly sort: Sort; readonly isDown: boolean };

/** How many match a query, how it was read, and its facets. */
export const findHead = (q: string) =>
  queryOptions({
    queryKey: ['found', 'head', q],
    queryFn: async ({ signal }) => {
      const began = performance.now();
      const head = await call('findSystems', { query: { q, limit: 0, facets: 'status,zone,node,tag,group' }, signal });
      return { ...head, tookMs: performance.now() - began };
    },
    structuralSharing: false,
    placeholderData: keepPreviousData,
    refetchInterval: againMs,
  });

/** How many of those that match have fallen silent. */
export const findSilent = (q: string) =>
  queryOptions({
    queryKey: ['found', 'silent', q],
    queryFn: async ({ signal }) => (await call('findSystems', { query: { q: withTerm(q, 'silent:yes'), limit: 0 }, signal })).total,
    placeholderData: keepPreviousData,
    refetchInterval: againMs,
  });

/** One client system, by its fingerprint. */
export const getOne = (fp: string) =>
  queryOptions({ queryKey: ['systems', 'one', fp], queryFn: ({ signal }) => call('getSystem', { params: { fp }, signal }) });

/** The kinds of metadata of a client system. */
export const listMetadata = (fp: string) =>
  queryOptions({ queryKey: ['systems', 'metadata', fp], queryFn: ({ signal }) => call('listMetadata', { params: { fp }, signal }) });

/** A document of its metadata. */
export const getMetadata = (fp: string, kind: string) =>
  queryOptions({
    queryKey: ['systems', 'metadata', fp, kind],
    queryFn: ({ signal }) => call('getMetadata', { params: { fp, kind }, signal }),
  });
