import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { LeaveMode } from '../../nodes/node.ts';

/** A node as the map of its zone names it: owners and homes of slots are indexes of these. */
export const MapNode = z.strictObject({
  index: z.int(),
  node: NodeId,
  fqdn: Fqdn,
  standing: z.string(),
  /** How it leaves, if it does. */
  leaving: LeaveMode.optional(),
  generation: z.int(),
  weight: z.number(),
  capacity: z.int().optional(),
  /** About how many accepted client systems it has, those that are pinned to it included. */
  systemsAbout: z.int(),
});
export type MapNode = z.infer<typeof MapNode>;

/** Bytes in base64. Their numbers are little-endian, so that a page reads them as typed arrays. */
const Bytes = z.string();

/**
 * The slot map of a zone. `whole`: an owner, a home and about how many client systems for each slot, 2 bytes each;
 * 65,535 is no node. `moves`: only the slots that changed after the version in the query, 8 bytes each: slot (4), owner
 * (2), home (2). An answer has one of the two.
 */
export const ZoneMapView = z.strictObject({
  zone: ZoneName,
  /** The version of the map; a caller that has it asks for the changes `since`. */
  version: z.int(),
  slots: z.int(),
  /** When client systems were last counted; absent before the first count. */
  countedAt: Moment.optional(),
  nodes: z.array(MapNode),
  whole: z.strictObject({ owner: Bytes, home: Bytes, systems: Bytes }).optional(),
  moves: Bytes.optional(),
});
export type ZoneMapView = z.infer<typeof ZoneMapView>;

/** The map of a zone, slot by slot. */
export const zoneMapRoutes = {
  zoneMap: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/map',
    summary:
      'Which node owns each slot of a zone, and about how many client systems each slot has; with since and slots, both as an earlier answer had them, only the slots that have moved, if they are still known',
    scope: 'read',
    params: z.strictObject({ zone: ZoneName }),
    query: z.strictObject({ since: z.coerce.number().int().min(0).optional(), slots: z.coerce.number().int().min(1).optional() }),
    reply: ZoneMapView,
    statuses: [200, 304],
    errors: ['unknown-zone'],
    etag: true,
  }),
} as const;
