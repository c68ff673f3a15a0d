import { useSyncExternalStore } from 'react';

const query = matchMedia('(max-width: 760px)');
const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};

/** Whether the page is as narrow as a phone, where a line of a list needs two. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches);
