import * as z from 'zod';
import { severities } from '../../events/severity.ts';
import { ZoneName } from '../ids.ts';
import { EventType, WebhookId } from '../webhooks/webhook.ts';
import { Moment } from './views.ts';

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
