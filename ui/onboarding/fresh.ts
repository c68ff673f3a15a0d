import { useEffect } from 'react';
import { live } from '../live/live.ts';
import { client } from '../live/queries.ts';

/** The events by which client systems come to wait, or wait no more. */
const news = new Set(['client.seen', 'client.duplicated', 'client.name-shared', 'client.accepted', 'client.banned']);

/**
 * Asks a question again when client systems come to wait or wait no more, at most once in so many ms. A question that
 * is under way is not cut short: long lists would never be read to their end while machines come in.
 */
export function useFreshPool(key: 'systems' | 'count', everyMs: number): void {
  useEffect(() => {
    const queryKey = ['pool', key];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = (): void => {
      timer = undefined;
      if (client.isFetching({ queryKey }) > 0) timer = setTimeout(ask, everyMs);
      else void client.invalidateQueries({ queryKey });
    };
    const forget = live.onEvents((events) => {
      if (timer === undefined && events.some(({ type }) => news.has(type))) timer = setTimeout(ask, everyMs);
    });
    return () => {
      clearTimeout(timer);
      forget();
    };
  }, [key, everyMs]);
}
