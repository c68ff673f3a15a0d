import * as z from 'zod';
import { Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { EpochMs } from '../../lib/core/time.ts';
import { defineEvent } from '../define.ts';

const zone = { zone: ZoneName, number: z.int().positive() };

/** An operator made the zone; `number` is what membership tokens name it by, and never another zone's. */
export const ZoneCreated = defineEvent('zone.created', 1, z.strictObject({ ...zone, kind: z.enum(['management', 'storage']) }));
/** An operator deleted the zone, which was empty. */
export const ZoneDeleted = defineEvent('zone.deleted', 1, z.strictObject(zone));
/** A node of the zone is lost; `slots` of the map were its own, `about` so many client systems. */
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
/** Slots have new owners; the reasons say why. */
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
 * More nodes of the zone fell silent than fail by themselves: they are held, by rule 6 (a part of it) or 7 (most of it,
 * or all).
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
 * The zone is disrupted no more: its nodes are heard, the time for which silence is excused has passed, or an operator
 * said so.
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
 * Slots of the zone must move and no node has room for them: they wait where they are, with about so many client
 * systems. Once more when there are more.
 */
export const ZoneCrowded = defineEvent(
  'zone.crowded',
  1,
  z.strictObject({ zone: ZoneName, slots: z.int().positive(), about: z.int().nonnegative() }),
);
/** No slot of the zone waits for room any more. */
export const ZoneRelieved = defineEvent('zone.relieved', 1, z.strictObject({ zone: ZoneName }));
/**
 * Recovering from the loss of a node takes longer than the zone may, by the forecast or in fact; `expectedAt` is when
 * the last of its client systems will have its turn, if anybody can say.
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
 * The last client system of a node that was lost has its turn elsewhere, or with its replacement, or the node is back;
 * `late`: later than the zone may.
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
