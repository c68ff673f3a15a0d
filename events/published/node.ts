import * as z from 'zod';
import { Fingerprint, Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { EpochMs } from '../../lib/core/time.ts';
import { defineEvent } from '../define.ts';

const node = { node: NodeId, fqdn: Fqdn, zone: ZoneName };
const counted = { ...node, incarnation: z.int().nonnegative(), generation: z.int().nonnegative() };

/** A new boot of the node's agent is acknowledged and the node takes over common content; it has no clients yet. */
export const NodeJoined = defineEvent('node.joined', 1, z.strictObject(counted));
/** Another system vouched that the node has started: that boot has this incarnation, which its next reports name. */
export const NodeAcknowledged = defineEvent('node.acknowledged', 1, z.strictObject({ ...counted, boot: z.string() }));
/** The node is ready and takes client systems. */
export const NodeActivated = defineEvent('node.activated', 1, z.strictObject(counted));
/** The node's lease ran out; it takes no new clients until it is heard or given up. */
export const NodeSuspected = defineEvent('node.suspected', 1, z.strictObject({ ...counted, heardAt: EpochMs }));
/** The node is heard again. */
export const NodeRecovered = defineEvent(
  'node.recovered',
  1,
  z.strictObject({ ...counted, from: z.enum(['suspect', 'down', 'leaving', 'quarantined']) }),
);
/** The node is down: its clients are orphans or held. */
export const NodeLost = defineEvent('node.lost', 1, z.strictObject({ ...counted, heardAt: EpochMs }));
/** The node is given up, planned or not; it must join as new. */
export const NodeDropped = defineEvent('node.dropped', 1, z.strictObject({ ...counted, planned: z.boolean() }));
/** The node goes on purpose. */
export const NodeDeparting = defineEvent(
  'node.departing',
  1,
  z.strictObject({ ...counted, mode: z.enum(['drain', 'hold']), until: EpochMs.optional() }),
);
/** The node takes no new clients until an operator has looked. */
export const NodeQuarantined = defineEvent(
  'node.quarantined',
  1,
  z.strictObject({ ...counted, reason: z.enum(['clone', 'flapping', 'operator']) }),
);
/** A dropped node has flushed and is admitted again, one generation on. */
export const NodeReadmitted = defineEvent('node.readmitted', 1, z.strictObject(counted));
/** A dropped node has flushed and asks to come back: in its zone an administrator must allow that. */
export const NodeReadmissionAsked = defineEvent('node.readmission-asked', 1, z.strictObject(counted));
/** The node signs with another key: that of `fingerprint`; that of `before` is revoked. */
export const NodeRekeyed = defineEvent('node.rekeyed', 1, z.strictObject({ ...counted, fingerprint: Fingerprint, before: Fingerprint }));
/**
 * Another node, `by`, has taken its index and its home, because an operator said so: it is given up, planned or after
 * it was lost.
 */
export const NodeReplaced = defineEvent(
  'node.replaced',
  1,
  z.strictObject({ ...counted, by: NodeId, byFqdn: Fqdn, index: z.int().nonnegative(), planned: z.boolean() }),
);
