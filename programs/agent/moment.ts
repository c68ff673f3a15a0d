import { uptime } from 'node:os';
import { secondMs } from '../../lib/core/time.ts';
import type { World } from '../../lib/machine/reactor.ts';

/**
 * A moment by several clocks, in ms: the uptime, which nothing adjusts, and the time of day, which also advances while
 * a machine is halted.
 */
export type Moment = readonly number[];

/** The clocks of this host. */
export const clocksOf =
  ({ now }: Pick<World, 'now'>) =>
  (): Moment => [uptime() * secondMs, now()];

/** How long ago a moment was, in ms, by the clock that measures more. */
export const sinceMs = (from: Moment, now: Moment): number => Math.max(...now.map((ms, n) => ms - from[n]!));
