import { useMemo, useSyncExternalStore } from 'react';
import { useNow } from '../kit/time.ts';
import type { LiveEvent } from '../live/event.ts';
import { live } from '../live/live.ts';

const bars = 60;
const barMs = 2_000;

/** Events of the last two minutes, two seconds a bar. */
export function Pulse() {
  const events = useSyncExternalStore(live.subscribe, live.events);
  const now = Math.floor(useNow() / barMs);
  const counts = useMemo(() => countsOf(events, now), [events, now]);
  const most = Math.max(4, ...counts);
  const sum = counts.reduce((all, n) => all + n, 0);
  return (
    <figure className="pulse">
      <figcaption>{sum} events in the last two minutes</figcaption>
      <svg viewBox={`0 0 ${bars * 4} 40`} preserveAspectRatio="none" aria-hidden="true">
        {counts.map((n, bar) => {
          const height = n === 0 ? 1 : Math.max(3, (n / most) * 40);
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
          return <rect key={bar} x={bar * 4} y={40 - height} width="3" height={height} className={n === 0 ? 'none' : ''} />;
        })}
      </svg>
    </figure>
  );
}

/** How many events each bar has, the oldest first. */
export function countsOf(events: readonly LiveEvent[], now: number): number[] {
  const counts = new Array<number>(bars).fill(0);
  for (let n = events.length - 1; n >= 0; n--) {
    const back = now - Math.floor(Date.parse(events[n]!.time) / barMs);
    if (back >= bars) break;
    counts[bars - 1 - Math.max(0, back)]!++;
  }
  return counts;
}
