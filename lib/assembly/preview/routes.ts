import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { Fid } from '../../core/fid.ts';
import { Fingerprint, Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { freezes } from '../../zones/guardrails/routes.ts';
import { remapAfterMaxMs } from '../../zones/routes.ts';

const node = z.union([NodeId, Fqdn]);

/** The settings of a zone that bear on where client systems are placed. */
const settings = {
  mode: z.enum(['production', 'recovery']).optional(),
  /** In ms; `usual` for the default of the kind of each node. */
  remapAfterMs: z.union([z.literal('usual'), z.coerce.number().int().min(0).max(remapAfterMaxMs)]).optional(),
  meanwhile: z.enum(['hold', 'elsewhere']).optional(),
  freeze: z.union([freezes, z.literal('off')]).optional(),
};

/**
 * What would happen: one order, or one loss. `lose` takes nodes, separated by commas, and labels such as `rack=r12` for
 * all nodes that have them; `weight` takes a node and its weight, such as `node7.acme.org:2`.
 */
const Order = z.strictObject({
  drop: node.optional(),
  drain: node.optional(),
  lose: z.string().min(1).max(4_000).optional(),
  replace: node.optional(),
  with: z.union([NodeId, Fqdn, Fingerprint]).optional(),
  weight: z
    .string()
    .regex(/^[^:]+:\d+(\.\d+)?$/, 'a node, a colon and its weight')
    .optional(),
  ...settings,
});
export type Order = z.infer<typeof Order>;

/** How many orders there are; the settings of a zone count as one. */
function orders({ drop, drain, lose, replace, weight, mode, remapAfterMs, meanwhile, freeze }: Order): number {
  const isSet = [mode, remapAfterMs, meanwhile, freeze].some((one) => one !== undefined);
  return [drop, drain, lose, replace, weight, isSet || undefined].filter((one) => one !== undefined).length;
}

/**
 * A rule that would hold the order or the loss, by its number in docs/guard-rails.md, with its reason and the command
 * that ends it.
 */
export const Guard = z.strictObject({ rule: z.int().optional(), because: z.string(), overruledBy: z.string().optional() });
export type Guard = z.infer<typeof Guard>;

const change = z.strictObject({ before: z.int(), after: z.int() });

/** A node before and after. `room`: how many more client systems it would be given, if it declares a capacity. */
export const NodePreview = z.strictObject({
  index: z.int(),
  node: NodeId,
  fqdn: Fqdn,
  standing: z.string(),
  slots: change,
  systemsAbout: change,
  room: z.int().optional(),
});
export type NodePreview = z.infer<typeof NodePreview>;

/** Slots of a node that the order or the loss is not about, and that would move all the same. */
export const OtherMoves = z.strictObject({ node: NodeId, fqdn: Fqdn, slots: z.int(), because: z.string() });
export type OtherMoves = z.infer<typeof OtherMoves>;

/** A process of a storage cluster that would go with its host, with what is in it. */
const LostProcess = z.strictObject({
  process: Fid,
  host: Fqdn,
  type: z.string(),
  /** The level at which it starts; absent for a process that Muster does not manage. */
  level: z.int().optional(),
  services: z.array(z.strictObject({ service: Fid, type: z.string() })),
  devices: z.int(),
});

/** What a storage cluster would lose with its hosts. */
export const StorageLoss = z.strictObject({
  hosts: z.array(Fqdn),
  /** The first processes, at most 500; `totals` counts all of them. */
  processes: z.array(LostProcess),
  totals: z.strictObject({ processes: z.int(), services: z.int(), devices: z.int() }),
  /** How many processes of each level would go, and how many the cluster has at that level. */
  levels: z.array(z.strictObject({ level: z.int(), lost: z.int(), of: z.int() })),
  /** The level that the cluster would still reach, and the one that it must be at. */
  reached: z.int(),
  level: z.int(),
  /** Its losses of liveness, in the words of Halon; empty when it stays alive. */
  liveness: z.array(z.string()),
  /** Other services that Muster runs on these hosts. */
  services: z.array(z.strictObject({ type: z.string(), host: Fqdn })),
});
export type StorageLoss = z.infer<typeof StorageLoss>;

/** Whether a majority of the stations of the zone would still be heard. */
export const StationsLeft = z.strictObject({ stations: z.int(), needed: z.int(), heard: z.int(), isQuorate: z.boolean() });
export type StationsLeft = z.infer<typeof StationsLeft>;

/** What would happen in a zone. */
export const ZonePreview = z.strictObject({
  zone: ZoneName,
  /** The order or the loss, in words. */
  what: z.string(),
  /** The version of the map that this was computed from: a preview of another version is out of date. */
  mapVersion: z.int(),
  /** How many slots the map has afterwards: those in `moves` are numbered by it. */
  slots: z.int(),
  /** Slots that would move, and about how many client systems, from the nodes that the order or the loss is about. */
  moved: z.strictObject({ slots: z.int(), systemsAbout: z.int(), nodes: z.int() }),
  /** Slots of those nodes that would wait where they are. */
  waiting: z.strictObject({ slots: z.int(), systemsAbout: z.int() }),
  others: z.array(OtherMoves),
  nodes: z.array(NodePreview),
  guards: z.array(Guard),
  /** When the last slot would have moved, and when the last client system would have its node; absent when unknown. */
  forecast: z.strictObject({ movedAt: Moment.optional(), allPlacedAt: Moment.optional(), because: z.string() }),
  because: z.array(z.string()),
  /** Whether it was played until nothing more would move. */
  isComplete: z.boolean(),
  storage: StorageLoss.optional(),
  stations: StationsLeft.optional(),
  /** The slots that would move, in base64, 8 bytes each, little-endian: slot (4), owner (2), home (2). */
  moves: z.string(),
});
export type ZonePreview = z.infer<typeof ZonePreview>;

/** What a storage cluster would lose; without `storage` there is no cluster yet. */
export const StoragePreview = z.strictObject({
  zone: ZoneName,
  /** The hosts that go, in words. */
  what: z.string(),
  storage: StorageLoss.optional(),
  stations: StationsLeft.optional(),
});
export type StoragePreview = z.infer<typeof StoragePreview>;

/** A place in the facts: the id of an enclosure, a site's number, or the number of a rack behind that of its site. */
const Place = z.string().min(1).max(200);
/** What goes: a host by name, by the fid of its Mero node or by the id of its node, or all hosts of a place. */
const Gone = z.strictObject({
  host: z.string().min(1).max(255).optional(),
  rack: Place.optional(),
  enclosure: Place.optional(),
  site: Place.optional(),
});

/** What would happen, and does not. */
export const previewRoutes = {
  previewZone: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/preview',
    summary:
      'What would happen in a zone if nodes were dropped, drained, lost or replaced, or if a weight or a setting were another: computed by the functions that would carry it out, on a copy in memory. Nothing changes',
    scope: 'read',
    params: z.strictObject({ zone: ZoneName }),
    query: Order.refine((given) => orders(given) === 1, 'give one of drop, drain, lose, replace, weight, or settings of the zone').refine(
      (given) => (given.replace === undefined) === (given.with === undefined),
      'replace and with go together',
    ),
    reply: ZonePreview,
    statuses: [200],
    errors: ['unknown-zone', 'unknown-node', 'refused', 'invalid'],
  }),
  previewStorage: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/storage/preview',
    summary:
      'What a storage cluster would lose with a host, or with all hosts of a rack, an enclosure or a site: processes, services, devices, levels and liveness. Nothing changes',
    scope: 'read',
    params: z.strictObject({ zone: ZoneName }),
    query: Gone.refine(
      (given) => Object.values(given).filter((one) => one !== undefined).length === 1,
      'give one of host, rack, enclosure and site',
    ),
    reply: StoragePreview,
    statuses: [200],
    errors: ['unknown-zone', 'not-a-storage-zone', 'unknown-node', 'not-yet', 'invalid'],
  }),
} as const;
