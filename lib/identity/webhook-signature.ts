import { createHmac } from 'node:crypto';

/**
 * The prefix of a webhook's secret, as in the Standard Webhooks specification, so that its libraries accept the secret
 * as it is.
 */
const prefix = 'whsec_';
const secretBytes = 32;

/** The text of a webhook's secret: 256 bits in base64 behind `whsec_`. */
export const webhookSecretForm = /^whsec_[A-Za-z0-9+/]{43}=$/;

/** Makes a secret that signs deliveries; `random` gives so many unguessable bytes. */
export const mintWebhookSecret = (random: (bytes: number) => Uint8Array): string =>
  `${prefix}${Buffer.from(random(secretBytes)).toString('base64')}`;

/** The signed parts: the id of the message, its time of sending in whole seconds, and its body. */
export type SignedDelivery = { readonly id: string; readonly timestampS: number; readonly body: string };

/**
 * The headers by which a receiver with one of the secrets verifies that a delivery is ours and recent, as in the
 * Standard Webhooks specification (https://github.com/standard-webhooks/standard-webhooks): HMAC-SHA256 over
 * `id.timestamp.body`, one signature a secret.
 */
export function webhookHeaders(secrets: readonly string[], { id, timestampS, body }: SignedDelivery): Record<string, string> {
  const signed = `${id}.${timestampS}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed, 'utf8').digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(timestampS), 'webhook-signature': signatures.join(' ') };
}
