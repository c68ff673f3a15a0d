import * as z from 'zod';
import { Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

const coordinator = { zone: ZoneName, host: Fqdn, node: NodeId, epoch: z.int().positive() };

/**
 * Muster hears a majority of the stations of a zone, for the first time or again. Decisions that waited for it
 * continue.
 */
export const StationQuorate = defineEvent(
  'station.quorate',
  1,
  z.strictObject({ zone: ZoneName, heard: z.array(Fqdn).max(15), stations: z.int().positive() }),
);
/** A station became the coordinator and acts on site from now on. Its epoch is its own, and ends every older epoch. */
export const CoordinatorElected = defineEvent('coordinator.elected', 1, z.strictObject(coordinator));
/**
 * A station is no longer the coordinator: Muster does not hear it (`lease`) or a majority of the stations (`quorum`),
 * it is no longer named as a station (`unnamed`), or its coordinator service failed and is not started again
 * (`failed`).
 */
export const CoordinatorLost = defineEvent(
  'coordinator.lost',
  1,
  z.strictObject({ ...coordinator, by: z.enum(['lease', 'quorum', 'unnamed', 'failed']) }),
);
