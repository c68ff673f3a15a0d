import type { EpochMs } from '../core/time.ts';
import type { Envelope, Outcome } from './delivery.ts';
import type { Webhook, WebhookId } from './webhook.ts';

/** A command to the row of webhooks. */
export type WebhooksCommand =
  | { readonly type: 'add'; readonly webhook: Webhook }
  | { readonly type: 'remove'; readonly webhook: WebhookId }
  | { readonly type: 'enable'; readonly webhook: WebhookId }
  /** Its target answered that it is gone. */
  | { readonly type: 'disable'; readonly webhook: string; readonly because: string }
  | { readonly type: 'replay'; readonly webhook: WebhookId }
  /** Its secret is replaced; the secret is in a row of its own, which no event reports. */
  | { readonly type: 'rotated'; readonly webhook: WebhookId };

/** A new secret, in place of the present one. */
export type SecretCommand = { readonly type: 'rotate'; readonly id: string; readonly secret: string };

/** A command to a delivery; `attempted` counts one attempt of one round. */
export type DeliveryCommand =
  | { readonly type: 'begin'; readonly id: string; readonly webhook: string; readonly event: Envelope }
  | {
      readonly type: 'attempted';
      readonly id: string;
      readonly round: number;
      readonly attempt: number;
      readonly outcome: Outcome;
      /** When the next attempt is due; absent when this was the last attempt. */
      readonly nextAt?: EpochMs | undefined;
    }
  | { readonly type: 'replay'; readonly id: string };
