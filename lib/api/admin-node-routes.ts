import * as z from 'zod';
import { Fingerprint, Fqdn, LabelName, NodeId, Tag, ZoneName } from '../ids.ts';
import { listOf, paged } from './page.ts';
import { route } from './route.ts';
import { Moment, NodeView } from './views.ts';

/** A node by id or by its fully qualified name. */
const node = z.strictObject({ id: z.union([NodeId, Fqdn]) });

/** Labels are in the node's row, which every heartbeat writes: few and short, so that they cost it one write unit more at the most. */
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
