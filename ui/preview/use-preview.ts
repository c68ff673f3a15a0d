import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isSame, type Order, type Outcome, previewOf } from './preview.ts';

/** What would happen, as a person reads it. */
export type Read = {
  /** What was first answered, until the person asks for what holds now; undefined before the first answer. */
  readonly outcome: Outcome | undefined;
  readonly error: Error | null;
  readonly isAsked: boolean;
  /** Something else would happen by now. */
  readonly isPast: boolean;
  /** What stands there holds, as far as the page knows: it can be ordered. */
  readonly isCurrent: boolean;
  readonly showNow: () => void;
  /**
   * Gives an order if the planner, asked once more, still says what was read. Otherwise it shows what the planner says,
   * gives no order, and throws an Error. Throws what the question and the order throw.
   */
  readonly order: <T>(give: () => Promise<T>) => Promise<T>;
};

const changed = 'Something else would happen by now, as it stands here: nothing was ordered.';

/**
 * What would happen by an order; undefined while none is asked about. It is computed anew as the zone changes, but what
 * stands there stays as it was read: an operator decides by that, and it is ordered only while it holds.
 */
export function usePreview(zone: string, asked: Order | undefined): Read {
  const { data: now, error, refetch } = useQuery({ ...previewOf(zone, asked ?? {}), enabled: asked !== undefined });
  const key = asked && JSON.stringify([zone, asked]);
  const [read, setRead] = useState<{ readonly key: string | undefined; readonly outcome: Outcome | undefined }>();
  const outcome = read?.key === key ? (read?.outcome ?? now) : now;
  if (read?.key !== key || read?.outcome !== outcome) setRead({ key, outcome });
  const isPast = outcome !== undefined && now !== undefined && !isSame(outcome, now);
  return {
    outcome,
    error,
    isAsked: asked !== undefined,
    isPast,
    isCurrent: outcome !== undefined && error === null && !isPast,
    showNow: () => setRead({ key, outcome: now }),
    order: async (give) => {
      const { data } = await refetch({ throwOnError: true });
      if (outcome !== undefined && data !== undefined && isSame(outcome, data)) return give();
      setRead({ key, outcome: data });
      throw new Error(changed);
    },
  };
}
