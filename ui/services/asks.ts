import { queryOptions } from '@tanstack/react-query';
import { call, type Reply } from '../api/call.ts';
import { allOf } from '../live/queries.ts';

export type Service = Reply<'getService'>;
export type ServiceType = Reply<'getServiceType'>;
export type Stations = Reply<'getStations'>;
export type SiteOrders = Reply<'getSiteOrders'>;

/** The services of a zone. */
export const servicesOf = (zone: string) =>
  queryOptions({
    queryKey: ['services', zone],
    queryFn: ({ signal }) => allOf((cursor) => call('listServices', { params: { zone }, query: { limit: 200, cursor }, signal })),
    refetchInterval: 15_000,
  });

/** A service by its type and the id of its node; asked often while an answer of its agent is awaited. */
export const serviceOf = (zone: string, type: string, node: string) =>
  queryOptions({
    queryKey: ['services', zone, type, node],
    queryFn: ({ signal }) => call('getService', { params: { zone, type, node }, signal }),
    refetchInterval: ({ state }) => ((state.data?.asks.length ?? 0) > 0 ? 1_000 : 15_000),
  });

/** The types of services of a zone that run on nodes; Muster's own rules, which are of the form of services, do not. */
export const typesOf = (zone: string) =>
  queryOptions({
    queryKey: ['services', 'types of', zone],
    queryFn: async ({ signal }) => {
      const { items } = await call('listServiceTypes', { params: { zone }, signal });
      return items.filter(({ program }) => program.is === 'command' || program.does !== 'rule');
    },
    staleTime: 60_000,
  });

/** The stations of a zone. */
export const stationsOf = (zone: string) =>
  queryOptions({
    queryKey: ['stations', zone],
    queryFn: ({ signal }) => call('getStations', { params: { zone }, signal }),
    refetchInterval: 10_000,
  });

/** The orders on the site of a zone; asked often while one waits for its answer. */
export const siteOrdersOf = (zone: string) =>
  queryOptions({
    queryKey: ['stations', 'orders', zone],
    queryFn: ({ signal }) => call('getSiteOrders', { params: { zone }, signal }),
    refetchInterval: ({ state }) => (state.data?.items.some(({ state: is }) => is === 'waiting') === true ? 1_000 : 15_000),
  });
