import * as z from 'zod';
import { NodeId, ZoneName } from '../../lib/ids.ts';
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
