import * as z from 'zod';
import { Fingerprint, Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { EpochMs } from '../../lib/core/time.ts';
import { defineEvent } from '../define.ts';

const node = { node: NodeId, fqdn: Fqdn, zone: ZoneName };
const counted = { ...node, incarnation: z.int().nonnegative(), generation: z.int().nonnegative() };

/** A new boot of the node's agent is acknowledged and the node takes over common content; it has no clients yet. */
export const NodeJoined = defineEvent('node.joined', 1, z.strictObject(counted));
/**
 * Another system vouched that the node has started. Its boot has this incarnation, which its next reports must name.
 */
export const NodeAcknowledged = defineEvent('node.acknowledged', 1, z.strictObject({ ...counted, boot: z.string() }));
/** The node is ready and takes client systems. */
export const NodeActivated = defineEvent('node.activated', 1, z.strictObject(counted));
/** The node's lease expired. It takes no new clients until Muster hears from it or gives it up. */
export const NodeSuspected = defineEvent('node.suspected', 1, z.strictObject({ ...counted, heardAt: EpochMs }));
/** Muster hears from the node again. */
export const NodeRecovered = defineEvent(
  'node.recovered',
  1,
  z.strictObject({ ...counted, from: z.enum(['suspect', 'down', 'leaving', 'quarantined']) }),
);
/** The node is down: its clients are orphans or held. */
export const NodeLost = defineEvent('node.lost', 1, z.strictObject({ ...counted, heardAt: EpochMs }));
/** The node was given up, planned or not. It must join again as a new node. */
export const NodeDropped = defineEvent('node.dropped', 1, z.strictObject({ ...counted, planned: z.boolean() }));
/** The node leaves on purpose. */
export const NodeDeparting = defineEvent(
  'node.departing',
  1,
  z.strictObject({ ...counted, mode: z.enum(['drain', 'hold']), until: EpochMs.optional() }),
);
/** The node was quarantined: it takes no new clients until an operator releases it. */
export const NodeQuarantined = defineEvent(
  'node.quarantined',
  1,
  z.strictObject({ ...counted, reason: z.enum(['clone', 'flapping', 'operator']) }),
);
/** A dropped node has flushed its content and is admitted again, in the next generation. */
export const NodeReadmitted = defineEvent('node.readmitted', 1, z.strictObject(counted));
/** A dropped node has flushed its content and asks to be readmitted. In its zone an administrator must allow that. */
export const NodeReadmissionAsked = defineEvent('node.readmission-asked', 1, z.strictObject(counted));
/** The node changed its key to the one of `fingerprint`; the key of `before` is revoked. */
export const NodeRekeyed = defineEvent('node.rekeyed', 1, z.strictObject({ ...counted, fingerprint: Fingerprint, before: Fingerprint }));
/**
 * An operator replaced the node: the node `by` takes over its index and its home. The replaced node is given up,
 * planned or after it was lost.
 */
export const NodeReplaced = defineEvent(
  'node.replaced',
  1,
  z.strictObject({ ...counted, by: NodeId, byFqdn: Fqdn, index: z.int().nonnegative(), planned: z.boolean() }),
);
