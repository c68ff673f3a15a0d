import * as z from 'zod';
import { Fingerprint, Fqdn, NodeId, Tag, ZoneName } from '../ids.ts';
import { route } from './route.ts';
import { Explanation, HistoryView, Moment, NodeView, SystemView, ZoneView } from './views.ts';

/** A page: at most 200 items, and an opaque cursor when more follow. */
const paged = { limit: z.coerce.number().int().min(1).max(200).default(50), cursor: z.string().max(500).optional() };
const listOf = <T extends z.ZodType>(item: T) => z.strictObject({ items: z.array(item), next: z.string().optional() });
/** A node by id or by its fully qualified name. */
const node = z.strictObject({ id: z.union([NodeId, Fqdn]) });
const system = z.strictObject({ fp: Fingerprint });
/** At most 200 client systems a call; each has its own result. */
const many = z.array(Fingerprint).min(1).max(200);
const results = z.strictObject({ results: z.array(z.strictObject({ fp: z.string(), done: z.boolean(), because: z.string() })) });

/** What `explain` and `history` speak of. */
export const subjects = z.enum(['node', 'system', 'zone']);

export const Settings = z.strictObject({
  /** The fastest heartbeat, in ms. */
  beatMinMs: z.int().min(100).max(300_000),
  /** The interval that nodes are told now, before jitter. */
  intervalMs: z.int(),
  admittedNodes: z.int(),
});

/** The admin API. */
export const adminRoutes = {
  status: route({
    method: 'GET',
    path: '/api/v1/status',
    summary: 'The deployment at a glance',
    scope: 'read',
    reply: z.strictObject({
      deployment: z.string(),
      version: z.string(),
      now: Moment,
      intervalMs: z.int(),
      sweptAt: Moment.optional(),
      deadLetters: z.int(),
      zones: z.array(
        z.strictObject({
          name: ZoneName,
          mode: z.string(),
          version: z.int(),
          slots: z.int(),
          nodes: z.record(z.string(), z.int()),
          systemsAbout: z.int(),
        }),
      ),
    }),
    statuses: [200],
    errors: [],
  }),
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
    summary: 'Set weight, capacity (null: unlimited) or labels of a node',
    scope: 'operate',
    params: node,
    body: z.strictObject({
      weight: z.number().min(0.01).max(100).optional(),
      capacity: z.int().positive().nullable().optional(),
      labels: z.record(z.string().min(1).max(64), Tag).optional(),
    }),
    reply: NodeView,
    statuses: [200],
    errors: ['unknown-node', 'version-conflict'],
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
    summary: 'Give a node up at once: its client systems go elsewhere, it must join as new',
    scope: 'operate',
    params: node,
    body: z.strictObject({}).default({}),
    reply: z.strictObject({ done: z.boolean(), because: z.string() }),
    statuses: [202],
    errors: ['unknown-node', 'refused'],
  }),
  listSystems: route({
    method: 'GET',
    path: '/api/v1/systems',
    summary: 'Client systems by status, zone, node or tag; a page may be short while more follow',
    scope: 'read',
    query: z.strictObject({
      status: z.enum(['new', 'onboarded', 'orphan', 'deleted']).optional(),
      zone: ZoneName.optional(),
      node: z.union([NodeId, Fqdn]).optional(),
      tag: Tag.optional(),
      ...paged,
    }),
    reply: listOf(SystemView),
    statuses: [200],
    errors: ['bad-cursor', 'unknown-zone', 'unknown-node'],
  }),
  getSystem: route({
    method: 'GET',
    path: '/api/v1/systems/{fp}',
    summary: 'One client system, by either of its fingerprints',
    scope: 'read',
    params: system,
    reply: SystemView,
    statuses: [200],
    errors: ['unknown-system'],
    etag: true,
  }),
  editSystem: route({
    method: 'PATCH',
    path: '/api/v1/systems/{fp}',
    summary: 'Set tags or groups of an accepted client system',
    scope: 'operate',
    params: system,
    body: z.strictObject({ tags: z.array(Tag).max(64).optional(), groups: z.array(Tag).max(64).optional() }),
    reply: SystemView,
    statuses: [200],
    errors: ['unknown-system', 'version-conflict', 'refused'],
    etag: true,
  }),
  accept: route({
    method: 'POST',
    path: '/api/v1/systems/accept',
    summary: 'Accept keys from the onboarding pool into a zone, with tags and groups',
    scope: 'operate',
    body: z.strictObject({
      systems: many,
      zone: ZoneName.optional(),
      tags: z.array(Tag).max(64).default([]),
      groups: z.array(Tag).max(64).default([]),
    }),
    reply: results,
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  unregister: route({
    method: 'POST',
    path: '/api/v1/systems/unregister',
    summary: 'Take client systems off their nodes; their keys stay accepted, and they find a place again',
    scope: 'operate',
    body: z.strictObject({ systems: many }),
    reply: results,
    statuses: [200],
    errors: [],
  }),
  ban: route({
    method: 'POST',
    path: '/api/v1/systems/ban',
    summary: 'Ban fingerprints, for ever',
    scope: 'security',
    body: z.strictObject({ systems: many }),
    reply: results,
    statuses: [200],
    errors: [],
  }),
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
  explain: route({
    method: 'GET',
    path: '/api/v1/explain/{kind}/{id}',
    summary: 'Why a node, client system or zone is as it is',
    scope: 'read',
    params: z.strictObject({ kind: subjects, id: z.string().min(1).max(253) }),
    reply: Explanation,
    statuses: [200],
    errors: ['unknown-node', 'unknown-system', 'unknown-zone'],
  }),
  history: route({
    method: 'GET',
    path: '/api/v1/history/{kind}/{id}',
    summary: 'What was concluded about it, oldest first; `after` fills holes in a consumer',
    scope: 'read',
    params: z.strictObject({ kind: subjects, id: z.string().min(1).max(253) }),
    query: z.strictObject({
      after: z.coerce.number().int().nonnegative().default(0),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    reply: z.strictObject({ items: z.array(HistoryView), more: z.boolean() }),
    statuses: [200],
    errors: ['unknown-node', 'unknown-system', 'unknown-zone'],
  }),
  getSettings: route({
    method: 'GET',
    path: '/api/v1/settings',
    summary: 'Settings of the deployment',
    scope: 'read',
    reply: Settings,
    statuses: [200],
    errors: [],
    etag: true,
  }),
  editSettings: route({
    method: 'PATCH',
    path: '/api/v1/settings',
    summary: 'Set the fastest heartbeat',
    scope: 'admin',
    body: z.strictObject({ beatMinMs: z.int().min(100).max(300_000).optional() }),
    reply: Settings,
    statuses: [200],
    errors: ['version-conflict'],
    etag: true,
  }),
  openapi: route({
    method: 'GET',
    path: '/api/v1/openapi.json',
    summary: 'This API as OpenAPI 3.1',
    scope: 'read',
    reply: z.looseObject({ openapi: z.string() }),
    statuses: [200],
    errors: [],
  }),
} as const;
