import * as z from 'zod';
import { severities } from '../../events/severity.ts';
import { Moment } from '../api/moment.ts';
import { listOf, paged } from '../api/page.ts';
import { route } from '../api/route.ts';
import { ZoneName } from '../core/ids.ts';
import { EventType, WebhookId } from './webhook.ts';

/** A webhook as the API and the CLI show it; its secret is shown once, when it is made or rotated. */
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
  /** Why nothing is delivered any more, and since when. */
  disabledAt: Moment.optional(),
  because: z.string().optional(),
  /** When somebody asked last for deliveries once more. */
  replayedAt: Moment.optional(),
});

export type WebhookView = z.infer<typeof WebhookView>;

/** An event on its way to a webhook's target, and what the last attempt came to. */
export const DeliveryView = z.strictObject({
  /** Where it stands among the deliveries of its webhook. */
  place: z.string(),
  /** The id of the event, which is sent as webhook-id; its type, and when it was concluded. */
  event: z.string(),
  type: z.string(),
  at: Moment,
  /** `dead`: given up, until somebody replays it. */
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

/** How many deliveries one call replays at the most. */
export const replayedMax = 50;

/** A subject as events name it, such as `node/n0123456789abcdef`. */
const Subject = z.string().regex(/^(node|zone|client)\/[a-z0-9-]{1,64}$/, 'a subject is node/, zone/ or client/ and an id');

/** Where events are delivered to. */
export const adminWebhookRoutes = {
  addWebhook: route({
    method: 'POST',
    path: '/api/v1/webhooks',
    summary:
      "Have events delivered to a URL, signed: of some types, as severe as told, of the caller's zones or some of them. The secret is in this answer only. Nothing is sent to private addresses",
    scope: 'admin',
    body: z.strictObject({
      url: z.string().min(1).max(2_000),
      /** All when it is absent. */
      types: z.array(EventType).min(1).max(100).optional(),
      /** Events at least as severe; all when it is absent. */
      severity: z.enum(severities).optional(),
      /** Everywhere the caller may when it is absent. */
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
    summary: 'Deliver nothing more to this URL; what waits is given up',
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
    summary: 'Deliver again to a target that had said that it is gone',
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
    summary: 'Sign by a new secret, which is in this answer only; for a day the one before signs beside it',
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
    summary: 'Send one signed event of the type webhook.test now, once, and say what came of it',
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
    summary: 'What was and is to be delivered, the newest event first, for two weeks; a page may be short while more follow',
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
    summary: `Deliver once more: what the webhook was sent of events since a moment, or of one subject whatever it concluded from a number on. At most ${replayedMax} a call; \`next\` is there when more may follow`,
    scope: 'admin',
    params,
    body: z
      .strictObject({
        since: Moment.optional(),
        /** Only what is in this state; all when it is absent. */
        status: DeliveryView.shape.status.optional(),
        subject: Subject.optional(),
        /** The first `eventseq` of the subject. */
        fromNumber: z.int().positive().optional(),
        /** From the answer before. */
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
