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
      /** Whether what was last heard of it still counts. */
      heard: z.boolean(),
      heardAt: z.iso.datetime().optional(),
      node: NodeId.optional(),
      /** How many nodes of the zone it hears on the site's network, of how many it looks for. */
      hears: z.strictObject({ nodes: z.int().nonnegative(), of: z.int().nonnegative() }).optional(),
    }),
  ),
  /** A majority of all that are named is needed, whoever of them is there. */
  quorum: z.strictObject({
    heard: z.int().nonnegative(),
    needed: z.int().nonnegative(),
    quorate: z.boolean(),
    since: z.iso.datetime().optional(),
  }),
  /** Who acts on site, as the holder of this epoch; absent while nobody does. */
  coordinator: z.strictObject({ host: Fqdn, node: NodeId, epoch: z.int().positive(), since: z.iso.datetime() }).optional(),
  /** The last epoch that there was, or is. */
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
      'Name the stations of a zone. The same hosts again change nothing; others are refused, unless with update, while a majority of those that are named is heard; so is a host that is a node of another zone',
    scope: 'admin',
    params: zone,
    body: z.strictObject({
      hosts: z.array(Fqdn).max(stationsMax),
      update: z.boolean().optional(),
      /** A host says so that found itself in a file. */
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
      'Give the stations of a zone up although no majority of them is heard: the zone has none then, nothing waits for them, and others can be named. For emergencies: a part of a divided site may act on',
    scope: 'security',
    params: zone,
    body: z.strictObject({}).default({}),
    reply: StationsView.extend({ done: z.boolean(), because: z.string() }),
    statuses: [200],
    errors: ['unknown-zone'],
  }),
} as const;
