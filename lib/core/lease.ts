import { clamp, type EpochMs, plusMs, secondMs } from './time.ts';

/** Most heartbeats a second that all nodes together should send. */
export const rateMaxPerSecond = 50;
/** The longest heartbeat interval of a node. */
export const heartbeatMaxMs = 300 * secondMs;
/** How much an interval is spread, so that nodes started together do not stay together. */
export const jitter = 0.1;

/** The interval before jitter for so many admitted nodes: `n / rateMax`, within the deployment's fastest and 300 s. */
export const intervalMsOf = (admittedNodes: number, heartbeatMinMs: number): number =>
  clamp(Math.round((admittedNodes / rateMaxPerSecond) * secondMs), heartbeatMinMs, heartbeatMaxMs);

/** The interval that one node gets: ± 10 %. `random` is in [0, 1). */
export const jittered = (intervalMs: number, random: number): number => Math.round(intervalMs * (1 - jitter + 2 * jitter * random));

/**
 * How long one heartbeat renews a node's lease for: three intervals, each a tenth longer by jitter, and 5 s; 38 s at 10
 * s. Three, because one lost batch costs a heartbeat and a deploy can cost two.
 */
export const leaseMsOf = (intervalMs: number): number => 3 * (1 + jitter) * intervalMs + 5 * secondMs;

/**
 * When the lease that a report renews expires: counted from the `receivedAt` of the endpoint, so that a backlog renews
 * nothing.
 */
export const leaseUntilOf = ({ receivedAt, intervalMs }: { receivedAt: EpochMs; intervalMs: number }): EpochMs =>
  plusMs(receivedAt, Math.round(leaseMsOf(intervalMs)));

/**
 * A node's last sign of life and its lease after a report. A queue delivers reports in any order: a late report,
 * received before one that is already processed, shortens neither.
 */
export function heardBy(
  node: { readonly heardAt?: EpochMs | undefined; readonly leaseUntil?: EpochMs },
  report: { readonly receivedAt: EpochMs; readonly intervalMs: number },
): { heardAt: EpochMs; leaseUntil: EpochMs } {
  const { heardAt, leaseUntil } = node;
  const given = leaseUntilOf(report);
  if (heardAt === undefined || report.receivedAt > heardAt) return { heardAt: report.receivedAt, leaseUntil: given };
  return { heardAt, leaseUntil: leaseUntil !== undefined && leaseUntil > given ? leaseUntil : given };
}

/** The interval that a lease was given for, in ms: the inverse of {@link leaseMsOf}. */
export const intervalMsOfLease = (leaseMs: number): number => Math.max(0, leaseMs - 5 * secondMs) / (3 * (1 + jitter));

/**
 * How long after a node's last report its next one counts as late, in ms: an interval with its jitter, and a second for
 * the way.
 */
export const overdueMsOf = (leaseMs: number): number => (1 + jitter) * intervalMsOfLease(leaseMs) + secondMs;
