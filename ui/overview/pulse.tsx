import { useSyncExternalStore } from 'react';
import { number } from '../kit/kit.tsx';
import { useNow } from '../kit/time.ts';
import { live } from '../live/live.ts';
import { paceS } from '../live/pace.ts';

const bars = 60;
const barS = paceS / bars;

/** Events of the last two minutes, two seconds a bar. */
export function Pulse() {
  useSyncExternalStore(live.subscribe, live.events);
  // Bars stand still while they fill: they end at even spans of the clock.
  const now = Math.floor(useNow() / (barS * 1_000) + 1) * barS * 1_000 - 1;
  const counts = live.pace.bars(now, bars, barS);
  const most = Math.max(4, ...counts);
  const sum = counts.reduce((all, n) => all + n, 0);
  return (
    <figure className="pulse">
      <figcaption>{number(sum)} events in the last two minutes</figcaption>
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
