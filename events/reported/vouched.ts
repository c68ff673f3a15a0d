import * as z from 'zod';
import { Incarnation, Seq, stamps } from '../define.ts';
import { Load, NodeHeartbeat, NodeReady, NodeUp } from './node.ts';

/**
 * A system vouches that a machine has started. `seq` grows with each node-up that it sends about this node, and stays
 * the same when it repeats one: the time in ms will do. Only the agent reports on processes.
 */
export const VouchedUp = NodeUp.omit({ ...stamps, incarnation: true }).extend({ seq: Seq, data: NodeUp.shape.data.omit({ table: true }) });

/**
 * A system vouches that a node can take client systems: its boot of this incarnation, which `node.acknowledged` has
 * published.
 */
export const VouchedReady = NodeReady.omit({ ...stamps, seq: true }).extend({ incarnation: Incarnation });

/**
 * A system vouches that a node is alive. `seq` grows from 1 with each heartbeat of the incarnation. Only the agent
 * reports what runs on the node.
 */
export const VouchedHeartbeat = NodeHeartbeat.omit(stamps).extend({
  incarnation: Incarnation,
  seq: Seq.positive(),
  data: z.strictObject({ load: Load }),
});

/** Every report of a system about a node whose liveness it vouches for. */
export const VouchedReport = z.discriminatedUnion('type', [VouchedUp, VouchedReady, VouchedHeartbeat]);
export type VouchedReport = z.infer<typeof VouchedReport>;
