import * as z from 'zod';
import { HostFacts, Load } from '../../events/reported/node.ts';
import { Moment } from '../api/moment.ts';
import { listOf, paged } from '../api/page.ts';
import { route } from '../api/route.ts';
import { Fingerprint, Fqdn, LabelName, NodeId, Tag, ZoneName } from '../core/ids.ts';
import { PageTemplate } from '../zones/rows/page.ts';
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
  /**
   * The interval at which it admits clients that move to it, in ms, if an operator has set one; 0 admits any number at
   * once.
   */
  admitEveryMs: z.int().optional(),
  /**
   * In a zone whose rates adapt: the interval at which it admits in fact, in ms, whether that follows what it bears,
   * and why. When one node is viewed that reports it: in what time half, and nine of ten, of its newest client systems
   * had their first job, and how many wait for theirs.
   */
  rate: z
    .strictObject({
      everyMs: z.int(),
      adapts: z.boolean(),
      because: z.string(),
      readyMs: z.strictObject({ median: z.int(), p90: z.int() }).optional(),
      waiting: z.int().optional(),
    })
    .optional(),
  labels: z.record(z.string(), z.string()),
  /** The address of its own page, by the template of the node or of its zone; absent if neither has one. */
  page: z.string().optional(),
  /** The template, if the node has one of its own. */
  pageTemplate: z.string().optional(),
  /** Another system vouches for its liveness by ingest; its agent does not. */
  vouched: z.literal(true).optional(),
  joinedAt: Moment,
  /**
   * When an operator removed it; it stays out until it is admitted again. Versions of Muster that cannot remove nodes
   * omit it.
   */
  removedAt: Moment.optional(),
  /**
   * The node that takes, or has taken, its place; since when the replacement is ordered; and whether the node was taken
   * out on purpose.
   */
  replacedBy: z.strictObject({ node: NodeId, since: Moment, planned: z.boolean() }).optional(),
  /** The node whose place it takes once it is ready. */
  replaces: NodeId.optional(),
  /**
   * The key that it signs with, and the `next` key that it has named, as fingerprints in hex pairs with colons. `since`
   * is present only when one node is viewed. Older versions of Muster omit the key.
   */
  key: z.strictObject({ fingerprint: z.string(), since: Moment.optional(), next: z.string().optional() }).optional(),
  heardAt: Moment.optional(),
  leaseUntil: Moment.optional(),
  /**
   * `waitsFor`: what a drain waits for. `turnsUntil`: when the last of its client systems has its turn elsewhere. Older
   * versions of Muster omit both.
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
   * When it was given up, and whether that was planned. `readmission`: whether it has asked to come back, if an
   * administrator must allow that. Older versions of Muster omit it.
   */
  dropped: z.strictObject({ at: Moment, planned: z.boolean(), readmission: z.enum(['awaited', 'asked', 'given']).optional() }).optional(),
  /**
   * How often it was recently lost and came back: a score as of `at`, which halves each hour. `calmAt`: when the score
   * falls below 1.
   */
  flaps: z.strictObject({ score: z.number(), at: Moment, calmAt: Moment }).optional(),
  load: Load.optional(),
  /**
   * The load average of each minute of the hour before it was last heard, within 4 %; minutes without a heartbeat are
   * left out, and older ones if the node has many labels. Only present when one node is viewed.
   */
  loads: z.array(z.strictObject({ at: Moment, load: z.number() })).optional(),
  /** Slots of the zone's map that it owns. */
  slots: z.int(),
  /** About how many accepted client systems those slots hold, from the last count. */
  systemsAbout: z.int(),
  /** About how many of them it no longer sees; a few may have called since. Older versions of Muster omit it. */
  silentAbout: z.int().optional(),
  /**
   * So many vanished from its digest at once that Muster does not call them silent yet: since when, and how many. Only
   * present when one node is viewed.
   */
  silenceHeld: z.strictObject({ since: Moment, vanished: z.int(), until: Moment }).optional(),
  host: HostFacts.extend({ at: Moment }).optional(),
});

export type NodeView = z.infer<typeof NodeView>;

/** A node by id or by its fully qualified name. */
const node = z.strictObject({ id: z.union([NodeId, Fqdn]) });

/**
 * Labels are stored in the node's row, which every heartbeat writes. They are few and short, so that they cost a
 * heartbeat at most one more write unit.
 */
const labelsMax = 8;
const labels = z
  .record(LabelName, Tag)
  .refine((given) => Object.keys(given).length <= labelsMax, `a node has at most ${labelsMax} labels`)
  .meta({ maxProperties: labelsMax });

/** A guard-rail that holds silent nodes, by the number of its rule (docs/guard-rails.md). */
export const HoldingRule = z.union([z.literal(6), z.literal(7), z.literal(8), z.literal(16)]);
export type HoldingRule = z.infer<typeof HoldingRule>;

/** The routes by which administrators and automation manage nodes. */
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
      "Set a node's weight, capacity (null: unlimited), labels, the interval at which it admits clients that move to it (0: any number at once; null: the default of its kind), or the template of its page (null: that of its zone). Setting whether another system vouches for its liveness also requires admin",
    scope: 'operate',
    params: node,
    body: z.strictObject({
      weight: z.number().min(0.01).max(100).optional(),
      capacity: z.int().positive().nullable().optional(),
      admitEveryMs: z.int().min(0).max(3_600_000).nullable().optional(),
      labels: labels.optional(),
      page: PageTemplate.nullable().optional(),
      /**
       * Whether another system vouches for its liveness by ingest, instead of its agent. Only for nodes on which Muster
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
      'Have a node leave on purpose: drain moves its client systems away, hold reserves them for it; stay cancels either and lifts a quarantine',
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
      'Give a node up at once: its client systems move to other nodes, and it must join as new. While a guard-rail holds the silent node, the request must overrule it by the number of its rule',
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
      'Have another machine take the index and the home of a node once it is ready: a node of the zone without client systems, or a host in the pool. The old node is out at once; replacing a node that may serve requires force',
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
    summary: 'Give a node up for good: its key is rejected until the host is admitted again or joins with a newer token',
    scope: 'admin',
    params: node,
    body: z.strictObject({}).default({}),
    reply: z.strictObject({ done: z.boolean(), because: z.string() }),
    statuses: [202],
    errors: ['unknown-node', 'refused'],
  }),
} as const;
