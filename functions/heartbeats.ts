import { Report } from '../events/catalogue.ts';
import { applyReport } from '../lib/assembly/reports.ts';
import { heartbeatFromVoucher } from '../lib/nodes/handlers/vouched.ts';
import { onQueue } from '../lib/runtime/on-queue.ts';

/**
 * Heartbeats, from our endpoints and from systems that vouch for nodes: the node's lease and load, and the digest of
 * its client systems.
 */
export default onQueue({ endpoint: Report, bus: heartbeatFromVoucher }, applyReport, 'heartbeats');
