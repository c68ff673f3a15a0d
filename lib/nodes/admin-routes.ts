import * as z from 'zod';
import { HostFacts, Load } from '../../events/reported/node.ts';
import { Moment } from '../api/moment.ts';
import { listOf, paged } from '../api/page.ts';
import { route } from '../api/route.ts';
import { Fingerprint, Fqdn, LabelName, NodeId, Tag, ZoneName } from '../core/ids.ts';
import { LeaveMode, NodeKind } from './node.ts';

/** A node as the API and the CLI show it. */
export const NodeView = z.strictObject({
  id: NodeId,
  fqdn: Fqdn,
  zone: ZoneName,
  kind: NodeKind,
  status: z.enum(['absent', 'waiting', 'joining', 'up', 'suspect', 'down', 'leaving', 'dropped', 'quarantined']),
  because: z.string(),
  incarnation: z.int(),
  generation: z.int(),
  index: z.int().optional(),
  watch: z.string(),
  weight: z.number(),
  capacity: z.int().optional(),
  /** How often it admits a client that was moved to it, in ms, when an operator has set it; 0 is any number at once. */
  admitEveryMs: z.int().optional(),
  labels: z.record(z.string(), z.string()),
  /** Another system vouches for its liveness, by ingest, and its agent does not. */
  vouched: z.literal(true).optional(),
  joinedAt: Moment,
  /** When an operator removed it: it stays out until it is let in again. A Muster that removes none does not say so. */
  removedAt: Moment.optional(),
  /**
   * Which node takes its place, or has taken it, since when that is wanted, and whether it was taken out on purpose.
   */
  replacedBy: z.strictObject({ node: NodeId, since: Moment, planned: z.boolean() }).optional(),
  /** Whose place it takes once it is ready. */
  replaces: NodeId.optional(),
  /**
   * The key that it signs with, and the one that it has named to follow, as fingerprints in hex pairs with colons;
   * `since` when it is told of one node alone. A Muster from before does not say.
   */
  key: z.strictObject({ fingerprint: z.string(), since: Moment.optional(), next: z.string().optional() }).optional(),
  heardAt: Moment.optional(),
  leaseUntil: Moment.optional(),
  /**
   * `waitsFor`: what a drain waits for; `turnsUntil`: when the last of its client systems has its turn elsewhere. A
   * Muster from before says neither.
   */
  leaving: z
    .strictObject({
      mode: LeaveMode,
      since: Moment,
      until: Moment.optional(),
      turnsUntil: Moment.optional(),
      waitsFor: z.string().optional(),
    })
    .optional(),
  /**
   * When it was given up, whether as planned, and, where an administrator has to let it come back, whether it has
   * asked. A Muster from before does not say.
   */
  dropped: z.strictObject({ at: Moment, planned: z.boolean(), readmission: z.enum(['awaited', 'asked', 'given']).optional() }).optional(),
  /**
   * How often it was lost and came back of late: a score as of `at`, which halves each hour, and when it is below 1.
   */
  flaps: z.strictObject({ score: z.number(), at: Moment, calmAt: Moment }).optional(),
  load: Load.optional(),
  /** Slots of the zone's map that it owns. */
  slots: z.int(),
  /** About how many accepted client systems those slots hold, from the last count. */
  systemsAbout: z.int(),
  host: HostFacts.extend({ at: Moment }).optional(),
});

export type NodeView = z.infer<typeof NodeView>;

/** A node by id or by its fully qualified name. */
const node = z.strictObject({ id: z.union([NodeId, Fqdn]) });

/**
 * Labels are in the node's row, which every heartbeat writes: few and short, so that they cost it one write unit more
 * at the most.
 */
const labelsMax = 8;
const labels = z
  .record(LabelName, Tag)
  .refine((given) => Object.keys(given).length <= labelsMax, `a node has at most ${labelsMax} labels`)
  .meta({ maxProperties: labelsMax });

/** A guard-rail that holds silent nodes, by the number of its rule (docs/guard-rails.md). */
export const HoldingRule = z.union([z.literal(6), z.literal(7), z.literal(8), z.literal(16)]);
export type HoldingRule = z.infer<typeof HoldingRule>;

/** What administrators and automation do with nodes. */
export const adminNodeRoutes = {
  listNodes: route({
    method: 'GET',
    path: '/api/v1/nodes',
    summary: 'The nodes of a zone',
    scope: 'read',
    query: z.strictObject({ zone: ZoneName.optional(), ...paged }),
    reply: listOf(NodeView),
    statuses: [200],
    errors: ['bad-cursor', 'unknown-zone'],
  }),
  getNode: route({
    method: 'GET',
    path: '/api/v1/nodes/{id}',
    summary: 'One node, by id or fully qualified name',
    scope: 'read',
    params: node,
    reply: NodeView,
    statuses: [200],
    errors: ['unknown-node'],
    etag: true,
  }),
  editNode: route({
    method: 'PATCH',
    path: '/api/v1/nodes/{id}',
    summary:
      'Set weight, capacity (null: unlimited), how often it admits a client that was moved to it (0: any number at once; null: as its kind does) or labels of a node; or whether another system vouches for its liveness, which asks for admin, too',
    scope: 'operate',
    params: node,
    body: z.strictObject({
      weight: z.number().min(0.01).max(100).optional(),
      capacity: z.int().positive().nullable().optional(),
      admitEveryMs: z.int().min(0).max(3_600_000).nullable().optional(),
      labels: labels.optional(),
      /**
       * Whether another system vouches for its liveness by ingest: its agent does not then. Of nodes where Muster
       * runs nothing.
       */
      vouched: z.boolean().optional(),
    }),
    reply: NodeView,
    statuses: [200],
    errors: ['unknown-node', 'version-conflict', 'insufficient-scope', 'refused'],
    etag: true,
  }),
  leaveNode: route({
    method: 'POST',
    path: '/api/v1/nodes/{id}/leave',
    summary:
      'Let a node go on purpose: drain moves its client systems, hold keeps them for it; stay cancels either, and lifts a quarantine',
    scope: 'operate',
    params: node,
    body: z.strictObject({ mode: z.enum(['drain', 'hold', 'stay']).default('drain'), until: Moment.optional() }),
    reply: z.strictObject({ done: z.boolean(), because: z.string() }),
    statuses: [202],
    errors: ['unknown-node', 'refused'],
  }),
  dropNode: route({
    method: 'POST',
    path: '/api/v1/nodes/{id}/drop',
    summary:
      'Give a node up at once: its client systems go elsewhere, it must join as new. A guard-rail that holds a silent node refuses that, until the order overrules it by the number of its rule',
    scope: 'operate',
    params: node,
    body: z.strictObject({ overrule: z.array(HoldingRule).max(4).default([]) }).default({ overrule: [] }),
    reply: z.strictObject({ done: z.boolean(), because: z.string() }),
    statuses: [202],
    errors: ['unknown-node', 'refused'],
  }),
  replaceNode: route({
    method: 'POST',
    path: '/api/v1/nodes/{id}/replace',
    summary:
      'Have another machine take the index and the home of a node once it is ready: a node of the zone without client systems, or a host in the pool. The old one is out at once; one that may serve only by force',
    scope: 'admin',
    params: node,
    body: z.strictObject({ by: z.union([NodeId, Fqdn, Fingerprint]), force: z.boolean().default(false) }),
    reply: z.strictObject({ done: z.boolean(), because: z.string() }),
    statuses: [202],
    errors: ['unknown-node', 'fqdn-in-use', 'refused'],
  }),
  removeNode: route({
    method: 'POST',
    path: '/api/v1/nodes/{id}/remove',
    summary: 'Give a node up for good: its key opens no door any more, until the host is admitted again or joins by a newer token',
    scope: 'admin',
    params: node,
    body: z.strictObject({}).default({}),
    reply: z.strictObject({ done: z.boolean(), because: z.string() }),
    statuses: [202],
    errors: ['unknown-node', 'refused'],
  }),
} as const;
