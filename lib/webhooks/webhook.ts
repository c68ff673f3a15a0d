import * as z from 'zod';
import { type PublishedType, published } from '../../events/catalogue.ts';
import { isAtLeast, severities } from '../../events/severity.ts';
import { ZoneName } from '../core/ids.ts';
import { refOf } from '../core/ref.ts';
import { dayMs, EpochMs } from '../core/time.ts';
import { secretIdForm } from '../identity/secret-text.ts';
import { webhookSecretForm } from '../identity/webhook-signature.ts';

/** The most webhooks a deployment has: they are one row, and every event is held against each. */
export const webhooksMax = 50;
/** How long the secret before still signs after a rotation: time to tell whoever receives. */
export const secretBeforeForMs = dayMs;

/** A webhook's id: 12 lower-case letters and digits. */
export const WebhookId = z.string().regex(secretIdForm, 'the id of a webhook is 12 lower-case letters and digits').brand<'WebhookId'>();
export type WebhookId = z.infer<typeof WebhookId>;

const types = Object.keys(published) as [PublishedType, ...PublishedType[]];
/** The type of an event that a webhook may ask for. */
export const EventType = z.enum(types, 'no event is of this type');

/** Where events are delivered to, and which: of some types if it says so, as severe as it says, of its zones. */
export const Webhook = z.strictObject({
  id: WebhookId,
  url: z.string(),
  types: z.array(EventType).optional(),
  severity: z.enum(severities).optional(),
  /** Never more than its maker may see. */
  zones: z.union([z.literal('all'), z.array(ZoneName)]),
  createdAt: EpochMs,
  createdBy: z.string(),
  /** Nothing is delivered any more: its target said that it is gone. */
  disabled: z.strictObject({ at: EpochMs, because: z.string() }).optional(),
  /** When somebody asked last for deliveries once more. */
  replayedAt: EpochMs.optional(),
  /** When its secret was replaced last. */
  rotatedAt: EpochMs.optional(),
});
export type Webhook = z.infer<typeof Webhook>;

/** The row of all webhooks. */
export const Webhooks = z.strictObject({ webhooks: z.array(Webhook).max(webhooksMax) });
export type Webhooks = z.infer<typeof Webhooks>;

const Secret = z.string().regex(webhookSecretForm);
/** The secrets of one webhook, in a row of their own that no list reads: signing needs them as they are. */
export const WebhookSecret = z.strictObject({
  current: Secret,
  since: EpochMs,
  before: z.strictObject({ secret: Secret, until: EpochMs }).optional(),
});
export type WebhookSecret = z.infer<typeof WebhookSecret>;

/** The secrets that sign now: after a rotation two for a day. */
export const signingSecrets = ({ current, before }: WebhookSecret, now: EpochMs): readonly string[] =>
  before && before.until > now ? [current, before.secret] : [current];

/** Whether a webhook asks for an event about this zone; what is about no zone is for those that are limited to none. */
export function wants(
  { disabled, types: asked, severity, zones }: Webhook,
  { type, data }: { readonly type: string; readonly data: unknown },
  zone: string | undefined,
): boolean {
  if (disabled || (asked && !(asked as readonly string[]).includes(type))) return false;
  if (severity && !isAtLeast(type, severity, data)) return false;
  return zones === 'all' || (zone !== undefined && (zones as readonly string[]).includes(zone));
}

/** All webhooks of the deployment. */
export const webhooksRef = refOf('webhooks', Webhooks, () => 'deployment')();
/** The secrets of a webhook, by its id. */
export const secretRef = refOf('webhook-secret', WebhookSecret);
