import * as z from 'zod';
import { Moment } from '../api/moment.ts';
import { route } from '../api/route.ts';
import { LabelCounts, SystemCounts } from '../clients/admin-routes.ts';
import { ZoneName } from '../core/ids.ts';
import { hostsCountedMax } from '../nodes/admission/routes.ts';
import { Forecast } from '../zones/routes.ts';

/** Settings of the deployment. */
export const Settings = z.strictObject({
  /** The fastest heartbeat, in ms. */
  beatMinMs: z.int().min(100).max(300_000),
  /** The interval that nodes are assigned now, before jitter, in ms. */
  intervalMs: z.int(),
  /** In all zones together; absent for callers who are limited to some zones. */
  admittedNodes: z.int().optional(),
  /**
   * Whether the status and orphan calls of client systems are answered without a valid token. Absent, like the next, in
   * answers of an older Muster.
   */
  openCalls: z.boolean().optional(),
  /** How many unknown machines may knock from one network address within an hour; 0 means any number. */
  newKeysPerSource: z.int().optional(),
});

/** Dead letters are counted up to this many; the status has this number for any more. */
export const deadCountedMax = 1_000;

/** What a caller sees, counted. */
const Counts = z.strictObject({
  /** Everything that was published before this moment is counted. */
  asOf: Moment,
  systems: SystemCounts,
  tags: LabelCounts,
  groups: LabelCounts,
  /** Hosts that wait to be nodes, and dropped nodes that ask to come back. 1,000 means that many or more. */
  hosts: z.strictObject({ waiting: z.int().max(hostsCountedMax), askingBack: z.int().max(hostsCountedMax) }),
});

/** The deployment as a whole: its status, its settings, its API. */
export const statusRoutes = {
  status: route({
    method: 'GET',
    path: '/api/v1/status',
    summary: 'The deployment at a glance',
    scope: 'read',
    query: z.strictObject({
      /**
       * Also counts client systems, tags and groups, as a search does: the first such call of an environment reads
       * every row, later ones only what has changed.
       */
      counts: z.literal('yes').optional(),
    }),
    reply: z.strictObject({
      deployment: z.string(),
      version: z.string(),
      now: Moment,
      intervalMs: z.int(),
      sweptAt: Moment.optional(),
      /**
       * Without those that were given back; 1,000 means that many or more. Absent for callers who are limited to some
       * zones.
       */
      deadLetters: z.int().max(deadCountedMax).optional(),
      /** What the caller sees of all zones, and of client systems and hosts of no zone; if `counts` was asked. */
      counts: Counts.optional(),
      /**
       * At least so many knocks were refused within the last hour; callers limited to zones see those with a token of
       * their zones. Absent in answers of an older Muster.
       */
      refusedKnocks: z.int().optional(),
      zones: z.array(
        z.strictObject({
          name: ZoneName,
          mode: z.string(),
          version: z.int(),
          slots: z.int(),
          nodes: z.record(z.string(), z.int()),
          systemsAbout: z.int(),
          /** About how many of them their nodes no longer see, so far as they have not called since. */
          silentAbout: z.int().optional(),
          /** When all waiting client systems are placed, and why not earlier; absent when none waits. */
          forecast: Forecast.optional(),
          /** Its guard-rails hold nodes that are silent. */
          disrupted: z.literal(true).optional(),
          /** What an operator has frozen: moves, expiry or all. */
          frozen: z.string().optional(),
          /** Its client systems, those that wait for it among them; if `counts` was asked. */
          systems: SystemCounts.optional(),
        }),
      ),
    }),
    statuses: [200],
    errors: [],
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
    summary: 'Set the fastest heartbeat, whether client systems may call without a token, and how many new ones may come from one address',
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
