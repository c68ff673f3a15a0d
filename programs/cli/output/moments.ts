import { dayMs, hourMs, minuteMs, secondMs } from '../../../lib/core/time.ts';

/**
 * A span in its largest whole unit up to two days: `12s`, `4m`, `30h`, `9d`; a moment of another clock that lies ahead
 * counts as now.
 */
export function span(ms: number): string {
  if (ms < 2 * minuteMs) return `${Math.max(0, Math.round(ms / secondMs))}s`;
  if (ms < 2 * hourMs) return `${Math.floor(ms / minuteMs)}m`;
  if (ms < 2 * dayMs) return `${Math.floor(ms / hourMs)}h`;
  return `${Math.floor(ms / dayMs)}d`;
}

/** How long ago an ISO moment was, as a span; empty when there was none. */
export const ago = (iso: string | undefined, now: number): string => (iso === undefined ? '' : span(now - Date.parse(iso)));

/** An ISO moment with how long ago it was, or how soon it will be: `2026-05-01T10:00:00Z (4m ago)`. */
export function dated(iso: string | undefined, now: number): string | undefined {
  if (iso === undefined) return undefined;
  const ms = now - Date.parse(iso);
  return `${toTheSecond(iso)} (${ms >= 0 ? `${span(ms)} ago` : `in ${span(-ms)}`})`;
}

/** An ISO moment without its fraction of a second. */
export const toTheSecond = (iso: string): string => iso.replace(/\.\d+(?=Z$)/, '');

/** An interval in ms as people say it: `500ms`, `10s`. */
export const interval = (ms: number): string => (ms % secondMs === 0 ? span(ms) : ms < secondMs ? `${ms}ms` : `${ms / secondMs}s`);
