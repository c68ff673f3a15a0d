import { QueryClient, queryOptions } from '@tanstack/react-query';
import { call, Problem } from '../api/call.ts';
import { decodeMap } from '../map/slots.ts';
import { type LiveEvent, nounOf } from './event.ts';

/** How many items a list takes at most: a page that shows more than that to a person shows nothing. */
const itemsMax = 2_000;

/** All items of a list of the API, page by page, up to {@link itemsMax}. */
export async function allOf<T>(
  page: (cursor: string | undefined) => Promise<{ readonly items: readonly T[]; readonly next?: string | undefined }>,
) {
  const items: T[] = [];
  for (let cursor: string | undefined; items.length < itemsMax; ) {
    const { items: more, next } = await page(cursor);
    items.push(...more);
    if (next === undefined) break;
    cursor = next;
  }
  return items;
}

/** A refused call is not repeated: only one without an answer is. */
const retry = (failures: number, error: unknown): boolean =>
  failures < 3 && error instanceof Problem && (error.status === 0 || error.status === 503);

/** The answers that this page has, and how long they are good: events tell which of them are stale. */
export const client = new QueryClient({ defaultOptions: { queries: { staleTime: 10_000, refetchOnWindowFocus: true, retry } } });

const status = queryOptions({ queryKey: ['status'], queryFn: ({ signal }) => call('status', { signal }), refetchInterval: 15_000 });

/** What several views ask. A view's own questions stand in its folder. */
export const asks = {
  status,
  /** The name of the deployment, which stays: the status is asked for once, and is at hand for who shows it first. */
  deployment: queryOptions({
    queryKey: ['deployment'],
    queryFn: async () => (await client.fetchQuery(status)).deployment,
    staleTime: Number.POSITIVE_INFINITY,
  }),
  /** The status with who is there exactly, which takes longer. */
  counts: queryOptions({
    queryKey: ['status', 'counts'],
    queryFn: ({ signal }) => call('status', { query: { counts: 'yes' }, signal }),
    refetchInterval: 15_000,
  }),
  whoAmI: queryOptions({
    queryKey: ['whoami'],
    queryFn: ({ signal }) => call('whoAmI', { signal }),
    staleTime: 60_000,
    // Nothing of the page is there without it: it is asked until it is answered, unless nobody is signed in.
    refetchInterval: ({ state: { error } }) => (error === null || (error instanceof Problem && error.status === 401) ? false : 5_000),
  }),
  zones: queryOptions({
    queryKey: ['zones'],
    queryFn: ({ signal }) => allOf((cursor) => call('listZones', { query: { limit: 200, cursor }, signal })),
    refetchInterval: 60_000,
  }),
  zone: (zone: string) =>
    queryOptions({
      queryKey: ['zones', zone],
      queryFn: ({ signal }) => call('getZone', { params: { zone }, signal }),
      refetchInterval: 20_000,
    }),
  nodes: (zone: string) =>
    queryOptions({
      queryKey: ['nodes', zone],
      queryFn: ({ signal }) => allOf((cursor) => call('listNodes', { query: { zone, limit: 200, cursor }, signal })),
      refetchInterval: 15_000,
    }),
  map: (zone: string) =>
    queryOptions({
      queryKey: ['map', zone],
      queryFn: async ({ signal }) => decodeMap(await call('zoneMap', { params: { zone }, signal })),
      refetchInterval: 20_000,
      structuralSharing: false,
    }),
  seat: (zone: string) =>
    queryOptions({
      queryKey: ['seat', zone],
      queryFn: ({ signal }) => call('getSeat', { params: { zone }, signal }),
      refetchInterval: 20_000,
    }),
  content: (zone: string) =>
    queryOptions({
      queryKey: ['content', zone],
      queryFn: ({ signal }) => call('getContent', { params: { zone }, signal }),
      refetchInterval: 20_000,
    }),
  explain: (kind: Subject, id: string, zone?: string) =>
    queryOptions({
      queryKey: ['explain', kind, id, zone],
      queryFn: ({ signal }) => call('explain', { params: { kind, id }, query: { zone }, signal }),
    }),
  history: (kind: Subject, id: string, zone?: string) =>
    queryOptions({
      queryKey: ['history', kind, id, zone],
      queryFn: async ({ signal }) =>
        (await call('history', { params: { kind, id }, query: { limit: 200, zone }, signal })).items.toReversed(),
    }),
};

/** The kinds of things that are explained. */
export type Subject = 'node' | 'system' | 'zone' | 'process' | 'service' | 'cluster' | 'stations' | 'site-orders' | 'seat' | 'content';

/** Which answers the events of a noun make stale, by how their keys begin. */
const stale: Readonly<Record<string, readonly string[]>> = {
  node: ['status', 'zones', 'nodes', 'map', 'hosts', 'storage', 'services', 'stations', 'explain', 'history', 'preview'],
  zone: ['status', 'zones', 'nodes', 'map', 'explain', 'preview'],
  client: ['status', 'systems', 'explain', 'history'],
  service: ['services', 'storage', 'structure', 'explain', 'history'],
  process: ['storage', 'explain', 'history'],
  cluster: ['storage', 'structure', 'status', 'explain', 'history'],
  station: ['stations', 'structure', 'explain', 'history'],
  coordinator: ['stations', 'storage', 'structure', 'explain', 'history'],
  'site-order': ['stations', 'explain', 'history'],
  seat: ['seat', 'explain', 'history'],
  content: ['content', 'explain', 'history'],
};
/** A thousand events within so many ms are one question more. */
const settleMs = 400;

/** Makes answers stale by the events of a frame, at most once in {@link settleMs} each. */
export class Staleness {
  readonly #due = new Set<string>();

  take = (events: readonly LiveEvent[]): void => {
    for (const noun of new Set(events.map(nounOf))) for (const key of stale[noun] ?? []) this.#invalidate(key);
  };

  #invalidate(key: string): void {
    if (this.#due.has(key)) return;
    this.#due.add(key);
    this.#later(key);
  }

  /** An answer that is under way is waited for: cancelled by every event, one that takes long would never arrive. */
  #later(key: string): void {
    setTimeout(() => {
      if (client.isFetching({ queryKey: [key] }) > 0) return this.#later(key);
      this.#due.delete(key);
      // A page that nobody sees asks once it is seen: six tabs would ask six times.
      void client.invalidateQueries({ queryKey: [key], refetchType: document.hidden ? 'none' : 'active' });
    }, settleMs);
  }
}
