import * as z from 'zod';
import { Fingerprint, Fqdn, NodeId, Tag, ZoneName } from '../../lib/core/ids.ts';
import { EpochMs } from '../../lib/core/time.ts';
import { defineEvent } from '../define.ts';

const system = { system: Fingerprint, fqdn: Fqdn };

/**
 * An unknown machine knocked and waits in the onboarding pool. `tokenRefused`: why the onboarding token that it brought
 * does not accept it.
 */
export const ClientSeen = defineEvent('client.seen', 1, z.strictObject({ ...system, tokenRefused: z.string().optional() }));
/** An administrator accepted the key: the client system belongs to the zone. */
export const ClientAccepted = defineEvent(
  'client.accepted',
  1,
  z.strictObject({ ...system, zone: ZoneName, tags: z.array(Tag), groups: z.array(Tag) }),
);
/** The client system was assigned to its node. */
export const ClientAssigned = defineEvent(
  'client.assigned',
  1,
  z.strictObject({ ...system, zone: ZoneName, node: NodeId, generation: z.int().nonnegative() }),
);
/**
 * The client system was a system of this node's server before that became a node: it is accepted, and stays where it
 * is, pinned softly.
 */
export const ClientAdopted = defineEvent(
  'client.adopted',
  1,
  z.strictObject({ ...system, zone: ZoneName, node: NodeId, generation: z.int().nonnegative() }),
);
/**
 * The daemon of an adopted client system has knocked for the first time: its key is the client system, which was known
 * by the key of its minion before. It stays where it is, with all that it had.
 */
export const ClientIntroduced = defineEvent('client.introduced', 1, z.strictObject({ ...system, zone: ZoneName, before: Fingerprint }));
/** The tags or groups of the client system changed to these. */
export const ClientLabelled = defineEvent(
  'client.labelled',
  1,
  z.strictObject({ ...system, zone: ZoneName, tags: z.array(Tag), groups: z.array(Tag) }),
);
/**
 * The client system is pinned to a node. With `hard` it waits for that node; otherwise it moves to another node while
 * that node is away.
 */
export const ClientPinned = defineEvent('client.pinned', 1, z.strictObject({ ...system, zone: ZoneName, node: NodeId, hard: z.boolean() }));
/** The client system is no longer pinned: the map of its zone decides its node. */
export const ClientUnpinned = defineEvent('client.unpinned', 1, z.strictObject({ ...system, zone: ZoneName }));
/** The client system was removed from its node until it knocks again; its key stays accepted. */
export const ClientUnregistered = defineEvent('client.unregistered', 1, z.strictObject(system));
const silent = z.strictObject({ ...system, since: EpochMs });
/**
 * The node no longer sees these client systems, each since then, and they have not called. Nothing was moved. A node
 * that no longer sees a large part of its client systems at once is believed after 15 minutes only.
 */
export const ClientSilent = defineEvent(
  'client.silent',
  1,
  z.strictObject({ zone: ZoneName, node: NodeId, host: Fqdn, systems: z.array(silent).min(1) }),
);
/** These client systems are heard again, by their node or by their own call: each was silent since then. */
export const ClientHeard = defineEvent(
  'client.heard',
  1,
  z.strictObject({
    zone: ZoneName,
    by: z.enum(['node', 'call']),
    node: NodeId.optional(),
    host: Fqdn.optional(),
    systems: z.array(silent).min(1),
  }),
);
/**
 * Two machines run with the key of the client system: these two boots of its daemon take turns. It stays on its node
 * and is given no other until an operator settles that, or one of them has been alone for a week.
 */
export const ClientCopied = defineEvent(
  'client.copied',
  1,
  z.strictObject({ ...system, zone: ZoneName.optional(), boots: z.array(z.string()).length(2) }),
);
/**
 * One machine runs with the key of the client system again: by an operator's order, or one boot was alone for a week.
 */
export const ClientSettled = defineEvent(
  'client.settled',
  1,
  z.strictObject({ ...system, zone: ZoneName.optional(), by: z.enum(['operator', 'time']) }),
);
/** The fingerprint is banned permanently. */
export const ClientBanned = defineEvent('client.banned', 1, z.strictObject(system));
/**
 * The client system reports a machine id that other keys have reported before: it is a clone, or a reinstalled machine.
 * With `held` it waits until an administrator accepts it by name.
 */
export const ClientDuplicated = defineEvent(
  'client.duplicated',
  1,
  z.strictObject({ ...system, machineId: z.string(), others: z.array(Fingerprint), held: z.boolean() }),
);
/**
 * The client system reports a name that other keys have reported before: it is a reinstalled machine, or two machines
 * have one name. With `held` it waits until an administrator accepts it by its fingerprint, or puts it in the place of
 * the other key.
 */
export const ClientNameShared = defineEvent(
  'client.name-shared',
  1,
  z.strictObject({ ...system, others: z.array(Fingerprint), held: z.boolean() }),
);
/**
 * The client system took the place of another key, which is banned: its zone, tags, groups, pin and metadata. It is a
 * reinstalled machine.
 */
export const ClientReplaced = defineEvent('client.replaced', 1, z.strictObject({ ...system, zone: ZoneName, before: Fingerprint }));
