import { Report } from '../events/catalogue.ts';
import { applyReport } from '../lib/doors/reports.ts';
import { onQueue } from '../lib/runtime/on-queue.ts';

/** Heartbeats: the node's lease and load, and the digest of its client systems. */
export default onQueue({ door: Report }, applyReport, 'heartbeats');
