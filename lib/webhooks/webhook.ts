import * as z from 'zod';
import { type PublishedType, published } from '../../events/catalogue.ts';
import { isAtLeast, severities } from '../../events/severity.ts';
import { ZoneName } from '../core/ids.ts';
import { refOf } from '../core/ref.ts';
import { dayMs, EpochMs } from '../core/time.ts';
import { secretIdForm } from '../identity/secret-text.ts';
import { webhookSecretForm } from '../identity/webhook-signature.ts';

/** The most webhooks of a deployment: they are one row, and every event is compared with each. */
export const webhooksMax = 50;
/** How long the previous secret still signs after a rotation: time to inform the receiver. */
export const secretBeforeForMs = dayMs;

/** A webhook's id: 12 lower-case letters and digits. */
export const WebhookId = z.string().regex(secretIdForm, 'the id of a webhook is 12 lower-case letters and digits').brand<'WebhookId'>();
export type WebhookId = z.infer<typeof WebhookId>;

const types = Object.keys(published) as [PublishedType, ...PublishedType[]];
/** The type of an event that a webhook may subscribe to. */
export const EventType = z.enum(types, 'no event has this type');

/** The target of deliveries, and the events that it receives: by type, by severity, and by zone. */
export const Webhook = z.strictObject({
  id: WebhookId,
  url: z.string(),
  types: z.array(EventType).optional(),
  severity: z.enum(severities).optional(),
  /** At most the zones that its maker may see. */
  zones: z.union([z.literal('all'), z.array(ZoneName)]),
  createdAt: EpochMs,
  createdBy: z.string(),
  /** Deliveries have stopped: its target answered that it is gone. */
  disabled: z.strictObject({ at: EpochMs, because: z.string() }).optional(),
  /** When deliveries were last replayed. */
  replayedAt: EpochMs.optional(),
  /** When its secret was last replaced. */
  rotatedAt: EpochMs.optional(),
});
export type Webhook = z.infer<typeof Webhook>;

/** The row of all webhooks. */
export const Webhooks = z.strictObject({ webhooks: z.array(Webhook).max(webhooksMax) });
export type Webhooks = z.infer<typeof Webhooks>;

const Secret = z.string().regex(webhookSecretForm);
/**
 * The secrets of one webhook, in a row of their own that no list reads. They are stored as they are, because signing
 * needs them.
 */
export const WebhookSecret = z.strictObject({
  current: Secret,
  since: EpochMs,
  before: z.strictObject({ secret: Secret, until: EpochMs }).optional(),
});
export type WebhookSecret = z.infer<typeof WebhookSecret>;

/** The secrets that sign now: two for a day after a rotation. */
export const signingSecrets = ({ current, before }: WebhookSecret, now: EpochMs): readonly string[] =>
  before && before.until > now ? [current, before.secret] : [current];

/**
 * Whether a webhook subscribes to an event of this zone. Events of no zone go to webhooks that are not limited to
 * zones.
 */
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
