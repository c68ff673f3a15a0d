import { useSyncExternalStore } from 'react';

/** There is no room for two columns; the kit's `.split` says the same. */
const query = '(max-width: 900px)';

const subscribe = (changed: () => void): (() => void) => {
  const media = matchMedia(query);
  media.addEventListener('change', changed);
  return () => media.removeEventListener('change', changed);
};

/** Whether the page is narrow, so that what would stand beside a list is opened over it. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(query).matches);
