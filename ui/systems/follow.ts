import { useEffect, useRef } from 'react';
import { nounOf } from '../live/event.ts';
import { live } from '../live/live.ts';
import { refreshFound } from '../orders/orders.ts';
import { pauseAfter } from './pause.ts';

/** Asks for the list anew when something happened to client systems, as often as the deployment can take. */
export function useFollow(tookMs: number): void {
  const took = useRef(tookMs);
  took.current = tookMs;
  useEffect(() => {
    let due: ReturnType<typeof setTimeout> | undefined;
    const forget = live.onEvents((events) => {
      if (due !== undefined || !events.some((event) => nounOf(event) === 'client')) return;
      due = setTimeout(() => {
        due = undefined;
        // A page that nobody sees asks once it is seen again.
        if (!document.hidden) void refreshFound();
      }, pauseAfter(took.current));
    });
    return () => {
      forget();
      clearTimeout(due);
    };
  }, []);
}
