import { useSyncExternalStore } from 'react';
import { call } from '../../api/call.ts';
import { pause } from '../../live/pause.ts';
import { client } from '../../live/queries.ts';
import { poolAsks } from '../asks.ts';
import { Acceptance, type AcceptanceState } from './acceptance.ts';

/** Takes machines off the list of those that wait, before it is read anew. */
export function forgetWaiting(fps: readonly string[]): void {
  const gone = new Set(fps);
  client.setQueryData(poolAsks.systems.queryKey, (list) => list && { ...list, items: list.items.filter(({ fp }) => !gone.has(fp)) });
  void client.invalidateQueries({ queryKey: ['pool', 'count'] });
}

/** What this page accepts, and has accepted. */
export const acceptance = new Acceptance({
  accept: (body) => call('accept', { body }),
  find: (q, limit) => call('findSystems', { query: { q, limit } }),
  took: forgetWaiting,
  wait: (ms) => pause(ms),
});

/** How the acceptance goes; the component renders again when it goes on. */
export const useAcceptance = (): AcceptanceState => useSyncExternalStore(acceptance.subscribe, acceptance.state);
