import * as z from 'zod';
import { type Decision, nothing, write } from '../decision.ts';
import { leaseMsOf } from '../nodes/lease.ts';
import { EpochMs, plusMs } from '../units.ts';

/** When the sweep last ran, whether it came late, and until when nobody is expired because it had slept. */
export const SweepRow = z.strictObject({ sweptAt: EpochMs, graceUntil: EpochMs.optional(), late: z.literal(true).optional() });
export type SweepRow = z.infer<typeof SweepRow>;

/** The sweep begins: `periodMs` is how often it should run, `intervalMs` the heartbeat interval whose lease is the grace. */
export type SweepBegins = { readonly id: string; readonly periodMs: number; readonly intervalMs: number };

/**
 * Was it us who slept? When the last sweep is more than two periods late, nobody is expired for one lease: agents could not reach us,
 * or their heartbeats wait in the queue. Granted once: a sweep that is late every time is slow, not asleep, and must expire all the same.
 */
export function decideSweep(row: SweepRow | undefined, { periodMs, intervalMs }: SweepBegins, now: EpochMs): Decision<SweepRow> {
  if (row && now - row.sweptAt < periodMs / 2) return nothing('another sweep has just begun');
  const late = row !== undefined && now - row.sweptAt > 3 * periodMs;
  const slept = late && row.late === undefined;
  const graceUntil = slept ? plusMs(now, Math.round(leaseMsOf(intervalMs))) : row?.graceUntil;
  const standing = graceUntil !== undefined && graceUntil > now ? { graceUntil } : {};
  return write<SweepRow, never>(
    { sweptAt: now, ...standing, ...(late && { late }) },
    slept ? `the sweep slept for ${Math.round((now - row.sweptAt) / 1000)} s: a grace of one lease` : 'the sweep runs',
  );
}
