import * as z from 'zod';
import { NodeId, ZoneName } from '../lib/core/ids.ts';
import { EpochMs } from '../lib/core/time.ts';

/** The id of a report, which makes repeats harmless. The node of a report is the one that signed the call. */
export const reportId = z.string().min(1).max(100);

/** The number of the boot a report belongs to, issued by Muster when it acknowledged that boot. */
export const Incarnation = z.int().positive();
/** Counts a node's reports of one incarnation; a number lower than an earlier one is stale. */
export const Seq = z.int().nonnegative();

/** The fields that Muster stamps on each report. No sender may set them. */
export const stamps = { receivedAt: true, intervalMs: true, vouched: true, by: true } as const;

/** The longest name of a caller, in UTF-16 units: `admin:` and 128 characters, each of two units at the most. */
const callerMax = 'admin:'.length + 2 * 128;
/**
 * The sender of a report that did not come from the node's own agent: a caller of the API, as the audit names it, a
 * system that vouches, or `bus`.
 */
export const Reporter = z.string().min(1).max(callerMax);
/** The {@link Reporter} of reports from the ingest bus, whose sender is unknown. */
export const byBus = 'bus';

/**
 * A system, other than the node's own agent, that vouches for a node: `by` is its name in Muster, `zone` the zone that
 * it may vouch for.
 */
export const Voucher = z.strictObject({ by: Reporter, zone: ZoneName });
export type Voucher = z.infer<typeof Voucher>;

/**
 * A report: its type, version and the shape of its data in one value. The endpoint stamps `receivedAt` and
 * `intervalMs`, the heartbeat interval that it answered with. Leases so count from the arrival at the endpoint, and a
 * backlog never renews the lease of a dead node. Muster stamps `vouched` and `by` too.
 */
export const defineReport = <T extends string, V extends number, D extends z.ZodType>(type: T, version: V, data: D) =>
  z.strictObject({
    type: z.literal(type),
    version: z.literal(version),
    id: reportId,
    node: NodeId,
    incarnation: Incarnation.optional(),
    seq: Seq.optional(),
    receivedAt: EpochMs,
    intervalMs: z.int().positive(),
    vouched: Voucher.optional(),
    by: Reporter.optional(),
    data,
  });

/** An event we conclude: its type, version and the shape of its data in one value. */
export const defineEvent = <T extends string, V extends number, D extends z.ZodType>(type: T, version: V, data: D) =>
  z.strictObject({ type: z.literal(type), version: z.literal(version), data });
