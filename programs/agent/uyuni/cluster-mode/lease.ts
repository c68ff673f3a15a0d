import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { minuteMs } from '../../../../lib/core/time.ts';
import { replaceFile } from '../../../../lib/machine/folder.ts';
import { orNothing } from '../../../../lib/machine/os-name.ts';
import { type ClusterMode, leaseFile, makeState } from './settings.ts';

/**
 * For how long after Muster's last answer the login page leads to the Cluster UI, in ms. Then people sign in at the
 * server itself: an outage that lasts longer must not keep them from their systems.
 */
export const loginLeaseMs = 10 * minuteMs;

/**
 * A moment as Apache's `%{TIME}` has it: year to second in 14 digits, in the time of this host. When clocks are set
 * back in autumn, the login page may be back for the last ten minutes before.
 */
export function digitsOf(at: number): string {
  const date = new Date(at);
  const parts = [date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes(), date.getSeconds()];
  return `${date.getFullYear()}${parts.map((part) => String(part).padStart(2, '0')).join('')}`;
}

/** The lease that Apache reads: until when the login page leads to the Cluster UI; undefined without one. */
export const readLease = (mode: Pick<ClusterMode, 'state'>): string | undefined =>
  orNothing(() => readFileSync(leaseFile(mode), 'utf8')) || undefined;

/** Whether a lease counts at a moment, as Apache compares it. */
export const counts = (lease: string | undefined, now: number): boolean =>
  lease !== undefined && /^\d{14}$/.test(lease) && lease > digitsOf(now);

/** Writes the lease: the login page leads to the Cluster UI until then, whatever becomes of the agent. */
export function writeLease(mode: Pick<ClusterMode, 'state'>, until: number): void {
  makeState(mode);
  replaceFile(mode.state, basename(leaseFile(mode)), digitsOf(until), 0o644);
  chmodSync(leaseFile(mode), 0o644);
}

/** Ends the lease at once. */
export const endLease = (mode: Pick<ClusterMode, 'state'>): void => rmSync(leaseFile(mode), { force: true });
