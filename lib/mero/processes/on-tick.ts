import { type Decision, graced, nothing, type Tick, write } from '../../core/decision.ts';
import { type EpochMs, minuteMs, plusMs, secondMs } from '../../core/time.ts';
import { dueAt, failedEvent, moved, type Surroundings } from './move.ts';
import type { MeroProcess } from './process.ts';

/**
 * How often a process is checked while its node is silent, in ms. Nothing is expected of it until the node is heard
 * again, or given up.
 */
export const awayLookMs = minuteMs;

/**
 * Decides what the passing of time means for a process. While its node is silent (`isAway`), no report can come, and no
 * agent can start it again.
 */
export function onTick(
  process: MeroProcess,
  tick: Tick,
  surroundings: Surroundings & { readonly isAway: boolean },
  now: EpochMs,
): Decision<MeroProcess> {
  const due = dueAt(process, surroundings.limits);
  const { is } = process.state;
  if (due === undefined) return nothing(`no time limit applies to a process that is ${is}`);
  if (surroundings.isAway) return nothing('its node is silent', plusMs(now, awayLookMs));
  return onLate(process, tick, surroundings, now) ?? nothing(`${is}; its time limit has not passed`, graced(due, tick));
}

function onLate(process: MeroProcess, tick: Tick, surroundings: Surroundings, now: EpochMs): Decision<MeroProcess> | undefined {
  const { startMs, stopMs } = surroundings.limits;
  const isOver = (spanMs: number): boolean => graced(plusMs(process.since, spanMs), tick) <= now;
  const { is } = process.state;
  if (is === 'starting' && isOver(startMs)) return timeOut(process, 'start timeout', startMs, surroundings, now);
  if ((is === 'quiescing' || is === 'stopping') && isOver(stopMs)) return timeOut(process, 'stop timeout', stopMs, surroundings, now);
  return is === 'failed' && process.retryAt !== undefined && process.retryAt <= now ? retry(process, surroundings, now) : undefined;
}

const timeOut = (process: MeroProcess, reason: string, spanMs: number, surroundings: Surroundings, now: EpochMs): Decision<MeroProcess> =>
  moved(process, ['failed'], { because: `${reason}: ${process.state.is} for ${spanMs / secondMs} s`, reason }, surroundings, now)!;

/**
 * The restart rule: a process that failed by itself is started again a few times, some seconds apart. After that an
 * operator has to act. An attempt without any report within the time limit of a start has failed, too.
 */
function retry(process: MeroProcess, { goal, limits }: Surroundings, now: EpochMs): Decision<MeroProcess> {
  const { retryAt: _due, attempts = 0, ...rest } = process;
  const { startMs, attemptsMax } = limits;
  const reason = process.state.is === 'failed' ? process.state.reason : '';
  if (goal !== 'run') {
    const next: MeroProcess = { ...rest, attempts: 0 };
    return write<MeroProcess, never>(next, 'it must no longer run', { wakeAt: dueAt(next, limits) });
  }
  if (attempts >= attemptsMax) {
    const next: MeroProcess = { ...rest, attempts };
    return write(next, `no report came of the last of ${attempts} attempts`, {
      events: [failedEvent(next, reason)],
      wakeAt: dueAt(next, limits),
    });
  }
  const next: MeroProcess = { ...rest, attempts: attempts + 1, start: process.start + 1, retryAt: plusMs(now, startMs) };
  return write<MeroProcess, never>(next, `attempt ${attempts + 1} of ${attemptsMax} to start it again (${reason})`, {
    wakeAt: dueAt(next, limits),
  });
}
