import * as z from 'zod';
import { BusReport } from '../../events/catalogue.ts';
import { VouchedReport } from '../../events/reported/vouched.ts';
import { route } from '../api/route.ts';

/** Reports that one call may carry: as many as one of an agent. */
const reportsMax = 100;

/** What automation reports: what it may put on the ingest bus, and what a system says that vouches for a node. */
export const IngestReport = z.discriminatedUnion('type', [...BusReport.options, ...VouchedReport.options]);
export type IngestReport = z.infer<typeof IngestReport>;

/** The ingest of a deployment by its API. */
export const adminReportRoutes = {
  takeReports: route({
    method: 'POST',
    path: '/api/v1/reports',
    summary:
      'Report what happens on nodes, in the shapes of the ingest bus: all are taken, or none. A node lives by this only where an administrator has said that another system vouches for it',
    scope: 'report',
    body: z.array(IngestReport).min(1).max(reportsMax),
    /** `nextMs`: how soon a node that is vouched for should be heard of again. */
    reply: z.strictObject({ accepted: z.int(), nextMs: z.int().positive() }),
    statuses: [202],
    errors: ['unknown-node', 'refused', 'send-node-up', 'must-rejoin', 'removed', 'unknown-type'],
  }),
} as const;
