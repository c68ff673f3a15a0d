import * as z from 'zod';
import { Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { EpochMs } from '../../lib/core/time.ts';
import { defineEvent } from '../define.ts';

const zone = { zone: ZoneName, number: z.int().positive() };

/** An operator created the zone. Membership tokens name the zone by `number`, which no other zone ever has. */
export const ZoneCreated = defineEvent('zone.created', 1, z.strictObject({ ...zone, kind: z.enum(['management', 'storage']) }));
/** An operator deleted the zone, which was empty. */
export const ZoneDeleted = defineEvent('zone.deleted', 1, z.strictObject(zone));
/** The zone lost a node, which owned `slots` slots of the map with `about` client systems. */
export const ZoneNodeLost = defineEvent(
  'zone.node-lost',
  1,
  z.strictObject({
    zone: ZoneName,
    node: NodeId,
    slots: z.int().nonnegative(),
    about: z.int().nonnegative(),
    mapVersion: z.int().nonnegative(),
  }),
);
/** Slots have new owners, for these reasons. */
export const ZoneRebalanced = defineEvent(
  'zone.rebalanced',
  1,
  z.strictObject({
    zone: ZoneName,
    slots: z.int().nonnegative(),
    mapVersion: z.int().nonnegative(),
    reasons: z.array(z.string().max(400)).max(20),
  }),
);
/**
 * So many nodes of the zone fell silent that independent failures cannot explain it. Muster holds them, by rule 6 (a
 * part of the zone) or 7 (most of it, or all).
 */
export const ZoneDisrupted = defineEvent(
  'zone.disrupted',
  1,
  z.strictObject({
    zone: ZoneName,
    rule: z.union([z.literal(6), z.literal(7)]),
    silent: z.int().positive(),
    nodes: z.int().positive(),
    until: EpochMs.optional(),
  }),
);
/**
 * The disruption of the zone is over: Muster hears its nodes again (`heard`), the time for which silence is excused has
 * passed (`time`), or an operator ended it (`operator`).
 */
export const ZoneCalm = defineEvent(
  'zone.calm',
  1,
  z.strictObject({
    zone: ZoneName,
    by: z.enum(['heard', 'time', 'operator']),
    silent: z.int().nonnegative(),
    nodes: z.int().nonnegative(),
  }),
);
/**
 * Slots of the zone must move, and no node has room for them: they wait where they are, with `about` client systems.
 * Published again when their number grows.
 */
export const ZoneCrowded = defineEvent(
  'zone.crowded',
  1,
  z.strictObject({ zone: ZoneName, slots: z.int().positive(), about: z.int().nonnegative() }),
);
/** The zone has room again: none of its slots waits for room. */
export const ZoneRelieved = defineEvent('zone.relieved', 1, z.strictObject({ zone: ZoneName }));
/**
 * The recovery from the loss of a node takes longer than the zone's RTO allows, by forecast or in fact. `expectedAt` is
 * when the last client system has its turn, if that is known.
 */
export const ZoneRecoveryLate = defineEvent(
  'zone.recovery-late',
  1,
  z.strictObject({
    zone: ZoneName,
    fqdn: Fqdn,
    since: EpochMs,
    rtoMs: z.int().positive(),
    by: z.enum(['forecast', 'actual']),
    expectedAt: EpochMs.optional(),
  }),
);
/**
 * The zone recovered from the loss of a node: the last of its client systems has had its turn on another node or the
 * replacement, or the node is back. `late`: it took longer than the zone's RTO allows.
 */
export const ZoneRecovered = defineEvent(
  'zone.recovered',
  1,
  z.strictObject({
    zone: ZoneName,
    fqdn: Fqdn,
    since: EpochMs,
    at: EpochMs,
    about: z.int().nonnegative(),
    rtoMs: z.int().positive().optional(),
    late: z.boolean(),
  }),
);
