import * as z from 'zod';
import { ZoneName } from '../ids.ts';
import { adminAdmissionRoutes } from './admin-admission-routes.ts';
import { adminAuditRoutes } from './admin-audit-routes.ts';
import { adminDeadLetterRoutes } from './admin-dead-letter-routes.ts';
import { adminDebugRoutes } from './admin-debug-routes.ts';
import { adminGraphRoutes } from './admin-graph-routes.ts';
import { adminKeyRoutes } from './admin-key-routes.ts';
import { adminMeroFactsRoutes } from './admin-mero-facts-routes.ts';
import { adminMeroLoadsRoutes } from './admin-mero-loads-routes.ts';
import { adminMeroProcessRoutes } from './admin-mero-process-routes.ts';
import { adminMeroRoutes } from './admin-mero-routes.ts';
import { adminMeroVarsRoutes } from './admin-mero-vars-routes.ts';
import { adminNodeRoutes } from './admin-node-routes.ts';
import { adminOnboardingRoutes } from './admin-onboarding-routes.ts';
import { adminReportRoutes } from './admin-report-routes.ts';
import { adminRoleRoutes } from './admin-role-routes.ts';
import { adminServiceRoutes } from './admin-service-routes.ts';
import { adminServiceTypeRoutes } from './admin-service-type-routes.ts';
import { adminServiceViewRoutes } from './admin-service-view-routes.ts';
import { adminSiteOrderRoutes } from './admin-site-order-routes.ts';
import { adminStationRoutes } from './admin-station-routes.ts';
import { adminSystemRoutes } from './admin-system-routes.ts';
import { adminTokenKeyRoutes } from './admin-token-key-routes.ts';
import { adminWebhookRoutes } from './admin-webhook-routes.ts';
import { adminZoneBrakeRoutes, freezes } from './admin-zone-brake-routes.ts';
import { metadataRoutes } from './metadata-routes.ts';
import { listOf, paged } from './page.ts';
import { route } from './route.ts';
import { Explanation, Forecast, HistoryView, Moment, ZoneView } from './views.ts';

/**
 * What `explain` and `history` speak of, as events name it. A client system is a `system` too; a process is of the zone that is given with it, a
 * service is `TYPE@NODE`; a storage cluster, the stations of a zone and the orders on its site go by the zone's name.
 */
export const subjects = z.enum(['node', 'system', 'client', 'zone', 'process', 'service', 'cluster', 'stations', 'site-orders']);

/** Settings of the deployment. */
export const Settings = z.strictObject({
  /** The fastest heartbeat, in ms. */
  beatMinMs: z.int().min(100).max(300_000),
  /** The interval that nodes are told now, before jitter. */
  intervalMs: z.int(),
  /** In all zones together; absent for whoever is limited to some. */
  admittedNodes: z.int().optional(),
  /** Whether the status and orphan calls of client systems are answered without a token that holds. Absent, like the next, in answers of an older Muster. */
  openCalls: z.boolean().optional(),
  /** How many machines that nobody knows may knock from one network address within an hour; 0 is any number. */
  newKeysPerSource: z.int().optional(),
});

/** Client systems are kept for a node at most this long, a day: beyond that it is given up. */
export const remapAfterMaxMs = 86_400_000;

/** The longest recovery that may be asked for, 30 days: as long as a node may be away on purpose. */
export const rtoMaxMs = 30 * 86_400_000;

/** Up to so many dead letters are counted; the status shows this many for any more. */
export const deadCountedMax = 1_000;

/** The admin API. */
export const adminRoutes = {
  ...adminNodeRoutes,
  ...adminReportRoutes,
  ...adminAdmissionRoutes,
  ...adminSystemRoutes,
  ...metadataRoutes,
  ...adminOnboardingRoutes,
  ...adminAuditRoutes,
  ...adminDeadLetterRoutes,
  ...adminTokenKeyRoutes,
  ...adminKeyRoutes,
  ...adminWebhookRoutes,
  ...adminZoneBrakeRoutes,
  ...adminStationRoutes,
  ...adminDebugRoutes,
  ...adminSiteOrderRoutes,
  ...adminMeroRoutes,
  ...adminMeroProcessRoutes,
  ...adminRoleRoutes,
  ...adminServiceRoutes,
  ...adminMeroVarsRoutes,
  ...adminMeroLoadsRoutes,
  ...adminMeroFactsRoutes,
  ...adminGraphRoutes,
  ...adminServiceTypeRoutes,
  ...adminServiceViewRoutes,
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
      /** Without those that were given back; 1,000 stands for that many or more. Not for callers who are limited to zones. */
      deadLetters: z.int().max(deadCountedMax).optional(),
      zones: z.array(
        z.strictObject({
          name: ZoneName,
          mode: z.string(),
          version: z.int(),
          slots: z.int(),
          nodes: z.record(z.string(), z.int()),
          systemsAbout: z.int(),
          /** When all client systems that wait are placed, and why not before; absent when nobody waits. */
          forecast: Forecast.optional(),
          /** Its brakes hold nodes that are silent. */
          disrupted: z.literal(true).optional(),
          /** What an operator has frozen: moves, expiry or all. */
          frozen: z.string().optional(),
        }),
      ),
    }),
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
  createZone: route({
    method: 'POST',
    path: '/api/v1/zones',
    summary: 'Make a zone; one of this name that is as asked for is answered as it is',
    scope: 'admin',
    body: z.strictObject({
      name: ZoneName,
      kind: z.enum(['management', 'storage']).optional(),
      /** How long the client systems of a node that went down are kept for it before they go elsewhere, in ms. */
      remapAfterMs: z.int().min(0).max(remapAfterMaxMs).optional(),
      /** Who lets a node that was given up come back: an administrator, unless told otherwise, or it itself once it has flushed. */
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
      'Set mode, how long clients are kept for a lost node (null: as its kind needs), whether they go elsewhere in recovery mode, how long recovering from a loss may take (null: any time), who lets a node that was given up come back, and what is frozen (null: nothing); allow or refuse clients that never sign, who take the place of an accepted fingerprint without showing that they hold its key',
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
    }),
    reply: ZoneView,
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  deleteZone: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/delete',
    summary: 'Delete an empty zone; its number is never given again',
    scope: 'admin',
    params: z.strictObject({ zone: ZoneName }),
    body: z.strictObject({}).default({}),
    reply: z.strictObject({ done: z.boolean(), because: z.string() }),
    statuses: [200],
    errors: ['unknown-zone', 'refused', 'not-yet'],
  }),
  explain: route({
    method: 'GET',
    path: '/api/v1/explain/{kind}/{id}',
    summary:
      'Why a node, client system, zone, process, service, storage cluster, the stations of a zone or the orders on its site are as they are; a process by its fid, and its zone besides; a service as TYPE@NODE',
    scope: 'read',
    params: z.strictObject({ kind: subjects, id: z.string().min(1).max(253) }),
    query: z.strictObject({ zone: ZoneName.optional() }),
    reply: Explanation,
    statuses: [200],
    errors: ['unknown-node', 'unknown-system', 'unknown-zone', 'unknown-process', 'unknown-service', 'not-a-storage-zone', 'invalid'],
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
      zone: ZoneName.optional(),
    }),
    reply: z.strictObject({ items: z.array(HistoryView), more: z.boolean() }),
    statuses: [200],
    errors: ['unknown-node', 'unknown-system', 'unknown-zone', 'unknown-process', 'unknown-service', 'not-a-storage-zone', 'invalid'],
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
    summary: 'Set the fastest heartbeat, whether client systems may ask without a token, and how many new ones may come from one address',
    scope: 'admin',
    body: z.strictObject({
      beatMinMs: z.int().min(100).max(300_000).optional(),
      openCalls: z.boolean().optional(),
      newKeysPerSource: z.int().min(0).max(1_000_000).optional(),
    }),
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
