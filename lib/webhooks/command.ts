import type { EpochMs } from '../core/time.ts';
import type { Envelope, Outcome } from './delivery.ts';
import type { Webhook, WebhookId } from './webhook.ts';

/** What is asked of the row of webhooks. */
export type WebhooksCommand =
  | { readonly type: 'add'; readonly webhook: Webhook }
  | { readonly type: 'remove'; readonly webhook: WebhookId }
  | { readonly type: 'enable'; readonly webhook: WebhookId }
  /** Its target said so. */
  | { readonly type: 'disable'; readonly webhook: string; readonly because: string }
  | { readonly type: 'replay'; readonly webhook: WebhookId }
  /** Its secret is replaced, which is in a row of its own that nobody hears of. */
  | { readonly type: 'rotated'; readonly webhook: WebhookId };

/** A new secret in the place of the one that signs. */
export type SecretCommand = { readonly type: 'rotate'; readonly id: string; readonly secret: string };

/** What happens to a delivery; `attempted` counts one attempt of one round. */
export type DeliveryCommand =
  | { readonly type: 'begin'; readonly id: string; readonly webhook: string; readonly event: Envelope }
  | {
      readonly type: 'attempted';
      readonly id: string;
      readonly round: number;
      readonly attempt: number;
      readonly outcome: Outcome;
      /** When it is tried again; absent when this was the last attempt. */
      readonly nextAt?: EpochMs | undefined;
    }
  | { readonly type: 'replay'; readonly id: string };
