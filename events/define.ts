import * as z from 'zod';
import { NodeId, ZoneName } from '../lib/core/ids.ts';
import { EpochMs } from '../lib/core/time.ts';

/** What an agent may claim about itself: the id makes repeats harmless, the node is whoever signed the call. */
export const reportId = z.string().min(1).max(100);

/** The number of the boot a report belongs to, issued by Muster when it acknowledged that boot. */
export const Incarnation = z.int().positive();
/** Counts a node's reports of one incarnation; a lower one than seen before is stale. */
export const Seq = z.int().nonnegative();

/** What Muster stamps on each report: whoever reports says none of these. */
export const stamps = { receivedAt: true, intervalMs: true, vouched: true, by: true } as const;

/** The longest name of whoever calls, in UTF-16 units: `admin:` and 128 characters, each of two units at the most. */
const callerMax = 'admin:'.length + 2 * 128;
/**
 * Who has reported where that was not the node's own agent: who called the API, as the audit names them, a sender, or
 * `bus`.
 */
export const Reporter = z.string().min(1).max(callerMax);
/** How {@link Reporter} has what came by the ingest bus, where nobody knows who has put it there. */
export const byBus = 'bus';

/**
 * What another system than the node's own agent says of a node: `by` is that system as Muster knows it, `zone` the
 * one that it may speak for.
 */
export const Voucher = z.strictObject({ by: Reporter, zone: ZoneName });
export type Voucher = z.infer<typeof Voucher>;

/**
 * A report: its type, version and the shape of its data in one value. The door stamps `receivedAt` and the heartbeat
 * interval it told in its answer, so that leases count from the door and a backlog never renews the lease of a dead
 * node. `vouched` and `by` are stamps of ours, too.
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
