import * as z from 'zod';
import { Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

const coordinator = { zone: ZoneName, host: Fqdn, node: NodeId, epoch: z.int().positive() };

/** A majority of the stations of a zone is heard, for the first time or again: what waits for it goes on. */
export const StationQuorate = defineEvent(
  'station.quorate',
  1,
  z.strictObject({ zone: ZoneName, heard: z.array(Fqdn).max(15), stations: z.int().positive() }),
);
/** A station acts on site from now on; no other one has this epoch, and every older one is over. */
export const CoordinatorElected = defineEvent('coordinator.elected', 1, z.strictObject(coordinator));
/**
 * A station acts on site no more: it is not heard (`lease`), a majority is not (`quorum`), it is no station any more
 * (`unnamed`), or what coordinates has failed there for good (`failed`).
 */
export const CoordinatorLost = defineEvent(
  'coordinator.lost',
  1,
  z.strictObject({ ...coordinator, by: z.enum(['lease', 'quorum', 'unnamed', 'failed']) }),
);
