import * as z from 'zod';
import { Moment } from '../api/moment.ts';
import { listOf, paged } from '../api/page.ts';
import { route } from '../api/route.ts';
import { Fqdn, NodeId, ZoneName } from '../core/ids.ts';
import { freezes } from './guardrails/routes.ts';
import { AdmissionMode, ceilingBounds, readyWithinBounds } from './rows/admission.ts';
import { PageTemplate } from './rows/page.ts';

/** Client systems are retained for a node at most this long, a day: beyond that it is given up. */
export const remapAfterMaxMs = 86_400_000;

/** The longest recovery that may be requested, 30 days: as long as a node may be away on purpose. */
export const rtoMaxMs = 30 * 86_400_000;

/**
 * When all client systems of a zone that wait for a node will have been assigned one, and why not before. `allPlacedAt`
 * is absent when the time is unknown: some are pinned to a node that is away, and wait for it.
 */
export const Forecast = z.strictObject({ allPlacedAt: Moment.optional(), because: z.string() });

export type Forecast = z.infer<typeof Forecast>;

/** A zone as the API and the CLI show it, with its map in summary. */
export const ZoneView = z.strictObject({
  name: ZoneName,
  number: z.int(),
  kind: z.enum(['management', 'storage']),
  mode: z.enum(['production', 'recovery']),
  version: z.int(),
  because: z.string(),
  /**
   * How long the clients of a node that went down are retained for it before they go elsewhere, in ms; absent for as
   * long as it is away.
   */
  remapAfterMs: z.int().optional(),
  /** In recovery mode: whether clients of a lost node go elsewhere until it is back. An older Muster omits it. */
  meanwhile: z.enum(['hold', 'elsewhere']).optional(),
  readmit: z.enum(['auto', 'admin']),
  /**
   * Dropped nodes that ask to come back and wait for an administrator; absent when there are none, and in a list of
   * zones.
   */
  askingBack: z.array(z.strictObject({ node: NodeId, fqdn: Fqdn })).optional(),
  /** Whether clients that never sign are let in; an older Muster omits it, and lets in only such clients. */
  unsignedClients: z.boolean().optional(),
  epoch: z.int(),
  /** So many nodes fell silent that none of them is given up for it; under rule 6 until `until` at the latest. */
  disrupted: z.strictObject({ rule: z.int(), since: Moment, until: Moment.optional(), silent: z.int(), nodes: z.int() }).optional(),
  /** Racks whose nodes all fell silent in one window: those nodes are held. */
  darkRacks: z.array(z.string()).optional(),
  /** What an operator has frozen: moves, expiry or all. */
  frozen: z.string().optional(),
  /** Since when the zone is being deleted, if it is: nothing can enter it. */
  deletingSince: Moment.optional(),
  systemsAbout: z.int(),
  countedAt: Moment.optional(),
  /**
   * The capacity that its nodes declare together, how many client systems they are given of it, and how many there are
   * by the last count; absent when a node declares none.
   */
  capacity: z.strictObject({ declared: z.int(), clientsMax: z.int(), filled: z.int() }).optional(),
  /** Slots that must move and wait, because no node has room for them. */
  crowded: z.strictObject({ since: Moment, slots: z.int(), systemsAbout: z.int() }).optional(),
  /** When all client systems that wait are placed, and why not before; absent when none waits. */
  forecast: Forecast.optional(),
  /**
   * How long it may take from the loss of a node until the last of its client systems has its turn, in ms; absent is
   * any time.
   */
  rtoMs: z.int().optional(),
  /** The template of the pages of its nodes, if it has one. */
  page: z.string().optional(),
  /** Whether the rates at which its nodes admit follow what they bear; absent: they are fixed. */
  admission: AdmissionMode.optional(),
  /** Where rates adapt: the shortest interval in ms, and the bearable time from acceptance to a first job in ms. */
  admitAtMostEveryMs: z.int().optional(),
  readyWithinMs: z.int().optional(),
  /**
   * Losses that are not over, and the last three that are. `placedAt`: when the last of its client systems has, or had,
   * its turn with a serving node, absent while slots wait for one. `late`: recovery takes longer than `rtoMs`, by
   * forecast or in fact.
   */
  recoveries: z
    .array(
      z.strictObject({
        fqdn: Fqdn,
        since: Moment,
        systemsAbout: z.int(),
        over: z.boolean(),
        placedAt: Moment.optional(),
        late: z.literal(true).optional(),
      }),
    )
    .optional(),
  /**
   * Down nodes whose client systems are retained for them, and until when; an absent `until` lasts until the node is
   * back.
   */
  kept: z.array(z.strictObject({ fqdn: Fqdn, since: Moment, until: Moment.optional(), systemsAbout: z.int() })).optional(),
  map: z.strictObject({
    slots: z.int(),
    version: z.int(),
    unowned: z.int(),
    awayFromHome: z.int(),
    nodes: z.array(
      z.strictObject({
        node: NodeId,
        fqdn: Fqdn,
        standing: z.string(),
        generation: z.int(),
        slots: z.int(),
        systemsAbout: z.int(),
        capacity: z.int().optional(),
      }),
    ),
  }),
});

export type ZoneView = z.infer<typeof ZoneView>;

/** Zones: read, created, changed and deleted. */
export const zoneRoutes = {
  listZones: route({
    method: 'GET',
    path: '/api/v1/zones',
    summary: 'All zones',
    scope: 'read',
    query: z.strictObject(paged),
    reply: listOf(ZoneView),
    statuses: [200],
    errors: ['bad-cursor'],
  }),
  getZone: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}',
    summary: 'A zone and its map in summary',
    scope: 'read',
    params: z.strictObject({ zone: ZoneName }),
    reply: ZoneView,
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  createZone: route({
    method: 'POST',
    path: '/api/v1/zones',
    summary: 'Create a zone; returns the existing zone of this name if it has the requested settings',
    scope: 'admin',
    body: z.strictObject({
      name: ZoneName,
      kind: z.enum(['management', 'storage']).optional(),
      /** How long the client systems of a node that went down are retained for it before they go elsewhere, in ms. */
      remapAfterMs: z.int().min(0).max(remapAfterMaxMs).optional(),
      /**
       * How a node that was given up rejoins: when an administrator allows it, which is the default, or by itself once
       * it has flushed.
       */
      readmit: z.enum(['auto', 'admin']).optional(),
    }),
    reply: ZoneView,
    statuses: [201, 200],
    errors: ['refused', 'not-yet'],
  }),
  editZone: route({
    method: 'PATCH',
    path: '/api/v1/zones/{zone}',
    summary:
      'Set the mode, how long clients are retained for a lost node (null: the default of its kind), whether they go elsewhere in recovery mode, how long recovery from a loss may take (null: any time), how a node that was given up rejoins, whether the rates at which nodes admit follow what they bear, with the fastest rate and the bearable time from acceptance to a first job (null: the default), what is frozen (null: nothing), and the template of the pages of its nodes (null: none); allow or refuse clients that never sign, which take the place of an accepted fingerprint without proof that they hold its key',
    scope: 'admin',
    params: z.strictObject({ zone: ZoneName }),
    body: z.strictObject({
      unsignedClients: z.boolean().optional(),
      mode: z.enum(['production', 'recovery']).optional(),
      remapAfterMs: z.int().min(0).max(remapAfterMaxMs).nullable().optional(),
      meanwhile: z.enum(['hold', 'elsewhere']).optional(),
      readmit: z.enum(['auto', 'admin']).optional(),
      rtoMs: z.int().min(1_000).max(rtoMaxMs).nullable().optional(),
      freeze: freezes.nullable().optional(),
      page: PageTemplate.nullable().optional(),
      admission: AdmissionMode.optional(),
      admitAtMostEveryMs: z.int().min(ceilingBounds.leastMs).max(ceilingBounds.mostMs).nullable().optional(),
      readyWithinMs: z.int().min(readyWithinBounds.leastMs).max(readyWithinBounds.mostMs).nullable().optional(),
    }),
    reply: ZoneView,
    statuses: [200],
    errors: ['unknown-zone', 'refused'],
  }),
  deleteZone: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/delete',
    summary: 'Delete an empty zone; its number is never reused',
    scope: 'admin',
    params: z.strictObject({ zone: ZoneName }),
    body: z.strictObject({}).default({}),
    reply: z.strictObject({ done: z.boolean(), because: z.string() }),
    statuses: [200],
    errors: ['unknown-zone', 'refused', 'not-yet'],
  }),
} as const;
