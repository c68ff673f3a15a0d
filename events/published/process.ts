import * as z from 'zod';
import { Fid } from '../../lib/core/fid.ts';
import { Fqdn, ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

const about = { zone: ZoneName, process: Fid, host: Fqdn };

/** The process was started, and is not ready yet. */
export const ProcessIsStarting = defineEvent('process.starting', 1, z.strictObject(about));
/** The process is ready. */
export const ProcessIsOnline = defineEvent('process.online', 1, z.strictObject(about));
/** The process is about to end, by order or by itself. */
export const ProcessIsStopping = defineEvent('process.stopping', 1, z.strictObject(about));
/** The process ended as intended. */
export const ProcessIsStopped = defineEvent('process.stopped', 1, z.strictObject(about));
/**
 * The process failed. `attempts` counts the starts since it was last online for a while. With `retry` Muster starts it
 * again by itself; without, it stays failed until an operator acts.
 */
export const ProcessHasFailed = defineEvent(
  'process.failed',
  1,
  z.strictObject({ ...about, reason: z.string().min(1).max(400), attempts: z.int().nonnegative(), retry: z.boolean() }),
);
