import * as z from 'zod';
import { severities } from '../../events/severity.ts';
import { Moment } from '../api/moment.ts';
import { listOf, paged } from '../api/page.ts';
import { route } from '../api/route.ts';
import { ZoneName } from '../core/ids.ts';
import { EventType, WebhookId } from './webhook.ts';

/** A webhook as the API and the CLI show it. Its secret is shown once, when it is created or rotated. */
export const WebhookView = z.strictObject({
  id: WebhookId,
  url: z.string(),
  status: z.enum(['enabled', 'disabled']),
  /** All when it is absent. */
  types: z.array(EventType).optional(),
  /** Events at least as severe. */
  severity: z.enum(severities).optional(),
  zones: z.union([z.literal('all'), z.array(ZoneName)]),
  createdAt: Moment,
  createdBy: z.string(),
  /** Since when deliveries have stopped, and why. */
  disabledAt: Moment.optional(),
  because: z.string().optional(),
  /** When deliveries were last replayed. */
  replayedAt: Moment.optional(),
});

export type WebhookView = z.infer<typeof WebhookView>;

/** An event on its way to the target of a webhook, and the outcome of the last attempt. */
export const DeliveryView = z.strictObject({
  /** Its place among the deliveries of its webhook. */
  place: z.string(),
  /** The id of the event, which is sent as webhook-id; its type, and when it was concluded. */
  event: z.string(),
  type: z.string(),
  at: Moment,
  /** `dead`: given up, until it is replayed. */
  status: z.enum(['pending', 'delivered', 'dead']),
  /** Since it was replayed last, if it was. */
  attempts: z.int(),
  replays: z.int().optional(),
  triedAt: Moment.optional(),
  /** The status that the target answered last. */
  answered: z.int().optional(),
  because: z.string().optional(),
  nextAt: Moment.optional(),
});

export type DeliveryView = z.infer<typeof DeliveryView>;

const params = z.strictObject({ id: WebhookId });
const withSecret = z.strictObject({ secret: z.string(), webhook: WebhookView });

/** The most deliveries that one call replays. */
export const replayedMax = 50;

/** A subject as events name it, such as `node/n0123456789abcdef`. */
const Subject = z.string().regex(/^(node|zone|client)\/[a-z0-9-]{1,64}$/, 'a subject is node/, zone/ or client/ and an id');

/** The routes of webhooks. */
export const adminWebhookRoutes = {
  addWebhook: route({
    method: 'POST',
    path: '/api/v1/webhooks',
    summary:
      'Deliver signed events to a URL, limited by type, severity and zone; the zones default to those of the caller. Only this answer contains the secret. Muster never sends to private addresses',
    scope: 'admin',
    body: z.strictObject({
      url: z.string().min(1).max(2_000),
      /** All when it is absent. */
      types: z.array(EventType).min(1).max(100).optional(),
      /** Events at least as severe; all when it is absent. */
      severity: z.enum(severities).optional(),
      /** All zones of the caller when it is absent. */
      zones: z.array(ZoneName).min(1).max(50).optional(),
    }),
    reply: withSecret,
    statuses: [201],
    errors: ['unknown-zone', 'private-target', 'invalid', 'refused'],
    secret: true,
  }),
  listWebhooks: route({
    method: 'GET',
    path: '/api/v1/webhooks',
    summary: 'The webhooks of zones that the caller administers',
    scope: 'admin',
    reply: z.strictObject({ items: z.array(WebhookView) }),
    statuses: [200],
    errors: [],
  }),
  removeWebhook: route({
    method: 'POST',
    path: '/api/v1/webhooks/{id}/remove',
    summary: 'Stop delivering to this URL; waiting deliveries are given up',
    scope: 'admin',
    params,
    body: z.strictObject({}).default({}),
    reply: WebhookView,
    statuses: [200],
    errors: ['unknown-webhook'],
  }),
  enableWebhook: route({
    method: 'POST',
    path: '/api/v1/webhooks/{id}/enable',
    summary: 'Deliver again to a target that had answered 410 (gone)',
    scope: 'admin',
    params,
    body: z.strictObject({}).default({}),
    reply: WebhookView,
    statuses: [200],
    errors: ['unknown-webhook'],
  }),
  rotateWebhook: route({
    method: 'POST',
    path: '/api/v1/webhooks/{id}/rotate',
    summary: 'Sign with a new secret, which only this answer contains. The previous secret also signs for a day',
    scope: 'admin',
    params,
    body: z.strictObject({}).default({}),
    reply: withSecret,
    statuses: [200],
    errors: ['unknown-webhook'],
    secret: true,
  }),
  testWebhook: route({
    method: 'POST',
    path: '/api/v1/webhooks/{id}/test',
    summary: 'Send one signed event of the type webhook.test now, and report the outcome',
    scope: 'admin',
    params,
    body: z.strictObject({}).default({}),
    reply: z.strictObject({ delivered: z.boolean(), answered: z.int().optional(), because: z.string(), ms: z.int() }),
    statuses: [200],
    errors: ['unknown-webhook'],
  }),
  listDeliveries: route({
    method: 'GET',
    path: '/api/v1/webhooks/{id}/deliveries',
    summary: 'Past and pending deliveries of the last two weeks, the newest event first. A page may be short while more follow',
    scope: 'admin',
    params,
    query: z.strictObject({ status: DeliveryView.shape.status.optional(), ...paged }),
    reply: listOf(DeliveryView),
    statuses: [200],
    errors: ['unknown-webhook', 'bad-cursor'],
  }),
  replayDeliveries: route({
    method: 'POST',
    path: '/api/v1/webhooks/{id}/replay',
    summary: `Deliver again: the events since a moment that the webhook was sent, or the events of one subject from a number on. At most ${replayedMax} per call; \`next\` is present when more may follow`,
    scope: 'admin',
    params,
    body: z
      .strictObject({
        since: Moment.optional(),
        /** Only deliveries in this state; all when it is absent. */
        status: DeliveryView.shape.status.optional(),
        subject: Subject.optional(),
        /** The first `eventseq` of the subject. */
        fromNumber: z.int().positive().optional(),
        /** From the previous answer. */
        after: z.string().min(1).max(1_000).optional(),
      })
      .refine(({ since, subject }) => (since === undefined) !== (subject === undefined), {
        error: 'either since or subject',
        path: ['since'],
      })
      .refine(({ subject, fromNumber }) => (subject === undefined) === (fromNumber === undefined), {
        error: 'subject and fromNumber belong together',
        path: ['fromNumber'],
      }),
    reply: z.strictObject({ replayed: z.int(), next: z.string().optional() }),
    statuses: [200],
    errors: ['unknown-webhook', 'invalid'],
  }),
} as const;
