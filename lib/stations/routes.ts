import * as z from 'zod';
import { route } from '../api/route.ts';
import { Fqdn, NodeId, ZoneName } from '../core/ids.ts';
import { stationsMax } from './stations.ts';

export { stationsMax };

const zone = z.strictObject({ zone: ZoneName });

/** The stations of a zone as people and scripts see them. */
export const StationsView = z.strictObject({
  zone: ZoneName,
  stations: z.array(
    z.strictObject({
      host: Fqdn,
      /** Whether its last heartbeat still counts. */
      heard: z.boolean(),
      heardAt: z.iso.datetime().optional(),
      node: NodeId.optional(),
      /** How many nodes of the zone it hears on the site's network, of how many it looks for. */
      hears: z.strictObject({ nodes: z.int().nonnegative(), of: z.int().nonnegative() }).optional(),
    }),
  ),
  /** A majority of all stations that are named is needed, whether they are there or not. */
  quorum: z.strictObject({
    heard: z.int().nonnegative(),
    needed: z.int().nonnegative(),
    quorate: z.boolean(),
    since: z.iso.datetime().optional(),
  }),
  /** The station that acts on site under this epoch; absent while none does. */
  coordinator: z.strictObject({ host: Fqdn, node: NodeId, epoch: z.int().positive(), since: z.iso.datetime() }).optional(),
  /** The highest epoch so far. */
  epoch: z.int().nonnegative(),
  named: z.strictObject({ at: z.iso.datetime(), by: z.enum(['operator', 'host', 'reset']) }).optional(),
});
export type StationsView = z.infer<typeof StationsView>;

/** Naming the stations of a zone. */
export const adminStationRoutes = {
  getStations: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/stations',
    summary: 'The stations of a zone: which hosts they are, whether a majority of them is heard, and which of them coordinates',
    scope: 'read',
    params: zone,
    reply: StationsView,
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  putStations: route({
    method: 'PUT',
    path: '/api/v1/zones/{zone}/stations',
    summary:
      'Name the stations of a zone. The same hosts again change nothing. Other hosts need update, and a majority of the present stations that is heard. A node of another zone is refused',
    scope: 'admin',
    params: zone,
    body: z.strictObject({
      hosts: z.array(Fqdn).max(stationsMax),
      update: z.boolean().optional(),
      /** Set by a host that found itself in a file. */
      self: z.boolean().optional(),
    }),
    reply: StationsView.extend({ done: z.boolean(), because: z.string() }),
    statuses: [200],
    errors: ['unknown-zone', 'stations-differ', 'no-quorum', 'refused'],
  }),
  resetStations: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/stations/reset',
    summary:
      'Give up the stations of a zone without a majority. The zone has none then, nothing waits for them, and others can be named. For emergencies: a part of a divided site may continue to act',
    scope: 'security',
    params: zone,
    body: z.strictObject({}).default({}),
    reply: StationsView.extend({ done: z.boolean(), because: z.string() }),
    statuses: [200],
    errors: ['unknown-zone'],
  }),
} as const;
