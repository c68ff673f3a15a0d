import * as z from 'zod';
import { BusReport } from '../../events/catalogue.ts';
import { VouchedReport } from '../../events/reported/vouched.ts';
import { route } from '../api/route.ts';

/** Reports that one call may carry, as many as a call of an agent. */
const reportsMax = 100;

/** A report of automation: one that it may put on the ingest bus, or one of a system that vouches for a node. */
export const IngestReport = z.discriminatedUnion('type', [...BusReport.options, ...VouchedReport.options]);
export type IngestReport = z.infer<typeof IngestReport>;

/** The ingest of a deployment by its API. */
export const adminReportRoutes = {
  takeReports: route({
    method: 'POST',
    path: '/api/v1/reports',
    summary:
      'Report what happens on nodes, in the shapes of the ingest bus: all reports are accepted, or none. They are signs of life only of nodes for which an administrator lets another system vouch',
    scope: 'report',
    body: z.array(IngestReport).min(1).max(reportsMax),
    /** `nextMs`: how soon the next report about a vouched node is due. */
    reply: z.strictObject({ accepted: z.int(), nextMs: z.int().positive() }),
    statuses: [202],
    errors: ['unknown-node', 'refused', 'send-node-up', 'must-rejoin', 'removed', 'unknown-type'],
  }),
} as const;
