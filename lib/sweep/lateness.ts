import * as z from 'zod';
import { type Decision, nothing, write } from '../decision.ts';
import { leaseMsOf } from '../nodes/lease.ts';
import { EpochMs, plusMs } from '../units.ts';

/** When the sweep last ran, and until when nobody is (or last was not) expired because it had slept. */
export const SweepRow = z.strictObject({ sweptAt: EpochMs, graceUntil: EpochMs.optional() });
export type SweepRow = z.infer<typeof SweepRow>;

/** The sweep begins: `periodMs` is how often it should run, `intervalMs` the heartbeat interval whose lease is the grace. */
export type SweepBegins = { readonly id: string; readonly periodMs: number; readonly intervalMs: number };

/**
 * Was it us who slept? When the last sweep is more than two periods late, and for longer than a heartbeat, nobody is expired for one
 * lease: agents could not reach us, or their heartbeats wait in the queue. Granted once: not again until as long a time has passed
 * without, because a sweep that is late time and again is slow, not asleep, and must expire all the same.
 */
export function decideSweep(row: SweepRow | undefined, { periodMs, intervalMs }: SweepBegins, now: EpochMs): Decision<SweepRow> {
  if (row && now - row.sweptAt < periodMs / 2) return nothing('another sweep has just begun');
  const leaseMs = Math.round(leaseMsOf(intervalMs));
  const slept = row !== undefined && now - row.sweptAt > Math.max(3 * periodMs, intervalMs);
  const grants = slept && (row.graceUntil === undefined || now > row.graceUntil + leaseMs);
  const graceUntil = grants ? plusMs(now, leaseMs) : row?.graceUntil;
  return write<SweepRow, never>(
    { sweptAt: now, ...(graceUntil !== undefined && { graceUntil }) },
    grants ? `the sweep slept for ${Math.round((now - row.sweptAt) / 1000)} s: a grace of one lease` : 'the sweep runs',
  );
}
