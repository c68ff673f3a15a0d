import { Report } from '../events/catalogue.ts';
import { applyReport, fromBus, laneOf } from '../lib/assembly/reports.ts';
import { onQueue } from '../lib/runtime/on-queue.ts';

/** Agents' reports, from our endpoints and from the ingest bus. */
export default onQueue({ endpoint: Report, bus: fromBus, laneOf }, applyReport, 'reports');
