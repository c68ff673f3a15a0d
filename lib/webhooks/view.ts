import type { EpochMs } from '../core/time.ts';
import { type Delivery, placeOf } from './delivery.ts';
import type { DeliveryView, WebhookView } from './routes.ts';
import type { Webhook } from './webhook.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** A webhook as the API and the CLI show it. */
export function webhookView({ id, url, types, severity, zones, createdAt, createdBy, disabled, replayedAt }: Webhook): WebhookView {
  return {
    id,
    url,
    status: disabled ? 'disabled' : 'enabled',
    zones: zones === 'all' ? zones : [...zones],
    ...(types && { types: [...types] }),
    ...(severity && { severity }),
    createdAt: iso(createdAt),
    createdBy,
    ...(disabled && { disabledAt: iso(disabled.at), because: disabled.because }),
    ...(replayedAt !== undefined && { replayedAt: iso(replayedAt) }),
  };
}

/** A delivery as the API and the CLI show it. */
export function deliveryView({ event, status, round, attempts, last, nextAt }: Delivery): DeliveryView {
  return {
    place: placeOf(event),
    event: event.id,
    type: event.type,
    at: event.time,
    status,
    attempts,
    ...(round > 0 && { replays: round }),
    ...(last && { triedAt: iso(last.at), because: last.because, ...(last.status !== undefined && { answered: last.status }) }),
    ...(nextAt !== undefined && { nextAt: iso(nextAt) }),
  };
}
