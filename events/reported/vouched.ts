import * as z from 'zod';
import { Incarnation, Seq, stamps } from '../define.ts';
import { Load, NodeHeartbeat, NodeReady, NodeUp } from './node.ts';

/**
 * A system vouches that a machine has started. `seq` grows with each node-up that it sends of this node, and is the
 * same when it sends one again: the time in ms will do. Processes are their agent's to speak of.
 */
export const VouchedUp = NodeUp.omit({ ...stamps, incarnation: true }).extend({ seq: Seq, data: NodeUp.shape.data.omit({ table: true }) });

/** A system vouches that a node can take client systems: the boot of this incarnation, which an event has told. */
export const VouchedReady = NodeReady.omit({ ...stamps, seq: true }).extend({ incarnation: Incarnation });

/**
 * A system vouches that a node is alive. `seq` grows from 1 with each heartbeat of the incarnation. What runs there is
 * its agent's to speak of.
 */
export const VouchedHeartbeat = NodeHeartbeat.omit(stamps).extend({
  incarnation: Incarnation,
  seq: Seq.positive(),
  data: z.strictObject({ load: Load }),
});

/** What a system may say of a node whose liveness it vouches for. */
export const VouchedReport = z.discriminatedUnion('type', [VouchedUp, VouchedReady, VouchedHeartbeat]);
export type VouchedReport = z.infer<typeof VouchedReport>;
