import * as z from 'zod';

/** The last moment that a Date can represent (ECMA-262); a later one could be stored, but not displayed. */
export const lastMs = 8_640_000_000_000_000;
/** A moment: milliseconds since the Unix epoch, always read from Muster's own clock, never from an agent's. */
export const EpochMs = z.int().nonnegative().max(lastMs).brand<'EpochMs'>();
export type EpochMs = z.infer<typeof EpochMs>;

/** `at` moved by a span of milliseconds, which may be negative. */
export const plusMs = (at: EpochMs, spanMs: number): EpochMs => (at + spanMs) as EpochMs;

/** The earlier of two moments; an absent one counts as never. */
export const earlier = (a: EpochMs | undefined, b: EpochMs | undefined): EpochMs | undefined =>
  a === undefined ? b : b === undefined ? a : a < b ? a : b;

/** `value` kept within `[low, high]`. */
export const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Ends a switch over a union: the compiler refuses to reach it, and it throws if data does. */
export const unreachable = (value: never): never => {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
};
