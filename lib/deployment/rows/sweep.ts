import * as z from 'zod';
import { type Decision, nothing, type Tick, write } from '../../core/decision.ts';
import { leaseMsOf } from '../../core/lease.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs, plusMs } from '../../core/time.ts';

/** When the sweep last ran, and until when no node expires, or last did not expire, because the sweep had slept. */
export const SweepRow = z.strictObject({ sweptAt: EpochMs, graceUntil: EpochMs.optional() });
export type SweepRow = z.infer<typeof SweepRow>;

type Pace = { readonly periodMs: number; readonly intervalMs: number };

/** Whether the sweep has not run for so long that we may have slept. */
const hasSlept = ({ sweptAt }: SweepRow, { periodMs, intervalMs }: Pace, now: EpochMs): boolean =>
  now - sweptAt > Math.max(3 * periodMs, intervalMs);

/** A tick, under the grace of the last sweep while there is one. */
export const tickUnder = (row: SweepRow | undefined, now: EpochMs): Tick => ({
  type: 'tick',
  ...(row?.graceUntil !== undefined && row.graceUntil > now && { graceUntil: row.graceUntil }),
});

/**
 * A tick between two sweeps, under the grace of the last one; undefined while only a sweep can decide whether we have
 * slept.
 */
export const tickBetween = (row: SweepRow | undefined, pace: Pace, now: EpochMs): Tick | undefined =>
  !row || hasSlept(row, pace, now) ? undefined : tickUnder(row, now);

/**
 * The sweep begins. `periodMs` is how often it should run, `intervalMs` the heartbeat interval whose lease is the
 * grace. `ranOutAt` has the times at which the leases of the due nodes ran out, and `admitted` the number of nodes that
 * the deployment has.
 */
export type SweepBegins = Pace & {
  readonly id: string;
  readonly ranOutAt: readonly EpochMs[];
  readonly admitted: number;
};

/** Fewer leases that run out at once, or a smaller share of them, are failures of the nodes. */
const atOnceMin = 3;
const atOnceShare = 0.4;

/** Whether so many of the deployment's leases ran out at once that the fault may be ours. */
export const isManyAtOnce = (leases: number, admitted: number): boolean => leases >= atOnceMin && leases >= atOnceShare * admitted;

/**
 * Decides whether the fault may be ours. It may be when the last sweep is more than two periods late, and for longer
 * than a heartbeat. It also may be when 40 % of all leases and at least three ran out since the last sweep. Then no
 * node expires for one lease: agents could not reach us, or their heartbeats wait in the queue. The grace is granted
 * once, and not again until as long a time has passed without it. A sweep that is late time and again is slow, not
 * asleep, and nodes that stay silent must expire all the same; the zones' guard-rails decide then.
 */
export function decideSweep(row: SweepRow | undefined, begins: SweepBegins, now: EpochMs): Decision<SweepRow> {
  const { periodMs, intervalMs, admitted } = begins;
  if (row && now - row.sweptAt < periodMs / 2) return nothing('another sweep has just begun');
  const leaseMs = Math.round(leaseMsOf(intervalMs));
  const slept = row !== undefined && hasSlept(row, begins, now);
  const lapsed = row === undefined ? 0 : begins.ranOutAt.filter((at) => at > row.sweptAt).length;
  const doubts = slept || isManyAtOnce(lapsed, admitted);
  const grants = doubts && (row?.graceUntil === undefined || now > row.graceUntil + leaseMs);
  const graceUntil = grants ? plusMs(now, leaseMs) : row?.graceUntil;
  return write<SweepRow, never>(
    { sweptAt: now, ...(graceUntil !== undefined && { graceUntil }) },
    !grants
      ? 'the sweep runs'
      : slept
        ? `the sweep slept for ${Math.round((now - row.sweptAt) / 1000)} s: a grace of one lease`
        : `${lapsed} of ${admitted} leases ran out at once, perhaps by a fault of ours: a grace of one lease`,
  );
}

/** The one row of the sweep. */
export const sweepRef = refOf('sweep', SweepRow, () => 'sweep');
